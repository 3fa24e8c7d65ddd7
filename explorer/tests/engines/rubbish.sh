#!/bin/sh
# An engine whose words make no sense.
[ -f "$0.pid" ] && echo $$ >"$0.pid"
while read -r word rest; do
    case $word in
    uci)
        printf 'id name \377\376\000\n'
        echo 'option name Hash type spin max'
        echo uciok
        ;;
    isready) echo readyok ;;
    go)
        echo 'info depth -1 score cp pv'
        echo 'info depth 99999999999999999999 multipv 1 score cp 7 pv e2e5'
        echo 'info score mate x pv <img src=x>'
        printf '\377\376 info pv\n\n\n'
        echo 'bestmove h9h9'
        ;;
    esac
done
