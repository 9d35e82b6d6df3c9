package stats

import (
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// TieGroups groups n runs, numbered from 0, into sets of tied runs; different lists the pairs that differ
// significantly. Each group is a set in which no two runs differ and to which no run can be added. Two tied runs share
// at least one group, so a run may be in several: a may be tied with b and b with c while a and c differ. The groups
// are sorted by their members.
//
// They are the maximal cliques of the graph of ties, which make a compact letter display. Source: Piepho, Journal of
// Computational and Graphical Statistics 13 (2004), where the same display is made by inserting and absorbing columns.
func TieGroups(n int, different [][2]int) [][]int {
	g := simple.NewUndirectedGraph()
	for i := range n {
		g.AddNode(simple.Node(i))
	}
	isDifferent := map[[2]int]bool{}
	for _, p := range different {
		isDifferent[p], isDifferent[[2]int{p[1], p[0]}] = true, true
	}
	for i := range n {
		for j := range i {
			if !isDifferent[[2]int{i, j}] {
				g.SetEdge(simple.Edge{F: simple.Node(j), T: simple.Node(i)})
			}
		}
	}
	var groups [][]int
	for _, clique := range topo.BronKerbosch(g) {
		var group []int
		for _, node := range clique {
			group = append(group, int(node.ID()))
		}
		slices.Sort(group)
		groups = append(groups, group)
	}
	slices.SortFunc(groups, slices.Compare)
	return groups
}
