# SPDX-License-Identifier: BSD-3-Clause
# Clustered bars from a table of names and figures, apart by tabs, with a line of headings:
#   gnuplot -e "data='udp.tsv'; out='udp.svg'; heading='…'; unit='…'; columns=3" utils/bench/plot.gp
set terminal svg size 960,440 font 'sans-serif,12' background 'white' noenhanced
set output out
set datafile separator '\t'
set title heading
set ylabel unit
set yrange [0:*]
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85 border -1
set boxwidth 0.9
set grid ytics lc rgb '#dddddd'
set xtics nomirror out font 'sans-serif,10'
set key outside top right horizontal
if (columns < 3) unset key
set linetype 1 lc rgb '#2a6f97'
set linetype 2 lc rgb '#e07a2f'
set linetype 3 lc rgb '#7a7a7a'
plot for [i = 2:columns] data using i:xtic(1) title columnheader(i)
