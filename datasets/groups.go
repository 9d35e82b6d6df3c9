package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// groupIndex remembers the group of each item, so that choosing items by group does not read them: four bytes an item.
type groupIndex struct {
	names  IDs
	of     []uint32
	others []string // groups that were met and not wanted, by name
}

func (g *groupIndex) add(group string) {
	n, _ := g.names.Add(group)
	g.of = append(g.of, uint32(n))
}

// wanted tells whether items of the group are to be kept; only nil wants all.
func (g *groupIndex) wanted(group string, only []string) bool {
	if only == nil || slices.Contains(only, group) {
		return true
	}
	if at, found := slices.BinarySearch(g.others, group); !found {
		g.others = slices.Insert(g.others, at, group)
	}
	return false
}

// Group is the group of item i, without reading it.
func (s *Set) Group(i int) string { return s.groups.names.At(int(s.groups.of[i])) }

// Groups are the groups of all items, in the order of reports.
func (s *Set) Groups() []string {
	names := make([]string, s.groups.names.Len())
	for i := range names {
		names[i] = s.groups.names.At(i)
	}
	slices.SortFunc(names, CategoryOrder)
	return names
}

// listed names groups for a message, the first of very many.
func listed(groups []string) string {
	const most = 40
	if n := len(groups) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(groups[:most], ", "), n)
	}
	return strings.Join(groups, ", ")
}

// Counts are a set's items by shape, by group and, where they have one, by label.
type Counts struct{ Shapes, Groups, Labels map[string]int }

// Count reads all items.
func (s *Set) Count() (Counts, error) {
	n := Counts{Shapes: map[string]int{}, Groups: map[string]int{}, Labels: map[string]int{}}
	for i := range s.Len() {
		item, err := s.Item(i)
		if err != nil {
			return n, err
		}
		n.Shapes[string(item.Shape)]++
		n.Groups[item.Group]++
		if item.Gold != NoGold {
			n.Labels[item.GoldID()]++
		}
	}
	return n, nil
}
