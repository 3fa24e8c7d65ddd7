#!/bin/sh
# An engine that dies when it has to think.
[ -f "$0.pid" ] && echo $$ >"$0.pid"
while read -r word rest; do
    case $word in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go)
        echo 'info depth 1 score cp 1 pv e2e4'
        exit 7
        ;;
    esac
done
