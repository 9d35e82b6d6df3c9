package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// wanted tells whether items of the group are to be kept, and notes those that are not; only nil Groups want all.
func (s *Set) wanted(group string) bool {
	if s.Options.Groups == nil || slices.Contains(s.Options.Groups, group) {
		return true
	}
	if at, found := slices.BinarySearch(s.others, group); !found {
		s.others = slices.Insert(s.others, at, group)
	}
	return false
}

// Group is the group of item i, without reading it.
func (s *Set) Group(i int) string { return s.rows[i].group }

// Groups are the groups of all items, in the order of reports.
func (s *Set) Groups() []string {
	names := map[string]bool{}
	for _, r := range s.rows {
		names[r.group] = true
	}
	return slices.SortedFunc(maps.Keys(names), CategoryOrder)
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
