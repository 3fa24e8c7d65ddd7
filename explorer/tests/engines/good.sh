#!/bin/sh
# A UCI engine that knows two moves of each side, and writes down what it is told where `$0.log` is
# a file.
[ -f "$0.pid" ] && echo $$ >"$0.pid"
side=w
while read -r word rest; do
    [ -f "$0.log" ] && echo "$word $rest" >>"$0.log"
    case $word in
    uci)
        echo 'id name Fake 1.0 <b>&'
        echo 'option name Threads type spin default 1 min 1 max 3'
        echo 'option name Hash type spin default 16 min 1 max 1024'
        echo 'option name MultiPV type spin default 1 min 1 max 8'
        echo uciok
        ;;
    isready) echo readyok ;;
    setoption) [ "${rest%value *}" = 'name MultiPV ' ] && lines=${rest##* } ;;
    position) case $rest in *' b '*) side=b ;; *) side=w ;; esac ;;
    go)
        if [ $side = w ]; then one='e2e4 e7e5 g1f3' two='d2d4 d7d5'; else one='e7e5 g1f3' two='c7c5'; fi
        for depth in 1 2 3 4 5; do
            echo "info depth $depth multipv 1 score cp $((30 + depth)) nodes ${depth}000 time 9 pv $one"
            [ "${lines:-1}" -gt 1 ] && echo "info depth $depth multipv 2 score cp -12 nodes 9 pv $two"
        done
        ;;
    stop) echo "bestmove ${one%% *}" ;;
    quit) exit ;;
    esac
done
