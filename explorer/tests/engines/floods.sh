#!/bin/sh
# An engine that writes without end, first a line without end.
[ -f "$0.pid" ] && echo $$ >"$0.pid"
while read -r word rest; do
    case $word in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go)
        head -c 100000 /dev/zero | tr '\0' x
        echo
        echo 'info depth 3 score cp 5 pv e2e4'
        exec yes 'info depth 2 currmove e2e4 currmovenumber 1 string and so on'
        ;;
    esac
done
