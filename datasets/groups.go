package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// includesGroup reports whether the set's options select a group; without Options.Groups, they select all. It adds a
// group that they exclude to excludedGroups.
func (s *Set) includesGroup(group string) bool {
	if s.OpenOptions.Groups == nil || slices.Contains(s.OpenOptions.Groups, group) {
		return true
	}
	if i, ok := slices.BinarySearch(s.excludedGroups, group); !ok {
		s.excludedGroups = slices.Insert(s.excludedGroups, i, group)
	}
	return false
}

// GroupOf returns the group of item i without reading the item.
func (s *Set) GroupOf(i int) string { return s.rows[i].group }

// Groups returns the groups of all items in the order of reports.
func (s *Set) Groups() []string {
	names := map[string]bool{}
	for _, r := range s.rows {
		names[r.group] = true
	}
	return slices.SortedFunc(maps.Keys(names), CompareGroups)
}

// shortList joins names of groups for a message, with a count of those beyond the first 40.
func shortList(groups []string) string {
	const limit = 40
	if n := len(groups) - limit; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(groups[:limit], ", "), n)
	}
	return strings.Join(groups, ", ")
}

// SetCounts holds the number of items by shape, by group and by label.
type SetCounts struct{ Shapes, Groups, Labels map[string]int }

// Count reads and counts all items.
func (s *Set) Count() (SetCounts, error) {
	n := SetCounts{Shapes: map[string]int{}, Groups: map[string]int{}, Labels: map[string]int{}}
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
