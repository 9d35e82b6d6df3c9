package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"gavel/internal/eval"
	"gavel/scoring/stats"
)

// gates simulates runs that look after every item whether a question is answered: how often the answer is
// wrong, and when it comes.
func gates(out io.Writer, worlds int) {
	table := tabwriter.NewWriter(out, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "items\tX\ttruth\terred, %\tat most, %\tdecided, %\titems, the median\t")
	for _, items := range []int{350, 620} {
		for _, share := range []float64{0.6, 0.8} {
			u := eval.Until{Metric: "strict", Share: share}
			for _, points := range []float64{-20, -10, -5, -0.01, 0, 5, 10, 15} {
				g := u.Guess(share+points/100, items, worlds)
				wrong := int(g.Erred*float64(worlds)/100 + 0.5)
				fmt.Fprintf(table, "%d\t%g\t%g\t%.2f\t%.2f\t%.1f\t%d\t\n", items, 100*share, g.Truth, g.Erred,
					100*stats.Exact(wrong, worlds, 0.95).High, g.Decided, g.Items)
			}
		}
	}
	table.Flush()
}
