#!/bin/sh
# An engine with one long line, which is good for Black, and writes down what it is told where
# `$0.log` is a file.
[ -f "$0.pid" ] && echo $$ >"$0.pid"
line='e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5'
line="$line b3c2 c7c5 d2d4 d8c7 b1d2 c5d4 c3d4 a5c6 d2b3 a6a5"
while read -r word rest; do
    [ -f "$0.log" ] && echo "$word $rest" >>"$0.log"
    case $word in
    uci)
        echo 'id name Long 2'
        echo uciok
        ;;
    isready) echo readyok ;;
    go) echo "info depth 28 seldepth 40 score cp -250 nodes 2000000 nps 1000000 time 2000 pv $line" ;;
    stop) echo 'bestmove e2e4' ;;
    quit)
        [ -f "$0.log" ] && echo ended >>"$0.log"
        exit
        ;;
    esac
done
