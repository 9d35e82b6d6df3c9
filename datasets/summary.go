package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Summary describes the content of a set, for people and as JSON.
type Summary struct {
	Rows  [][2]string    // names and values
	Notes []string       // sentences about the way the file was read, and skipped lines
	Data  map[string]any // the same values for JSON
}

// Summarize reads all items of a set. dataset describes it in the registry; the zero value if it is not there.
func (s *Set) Summarize(dataset Entry) (t Summary, err error) {
	n, err := s.Count()
	if err != nil {
		return t, err
	}
	add := func(name, value string) { t.Rows = append(t.Rows, [2]string{name, value}) }
	add("dataset", s.Name)
	if dataset.Name != "" {
		add("about", dataset.About)
		add("licence", dataset.Licence)
		add("source", dataset.Source)
	}
	add("format", s.Format)
	if !s.Mapping.empty() {
		add("columns", s.Mapping.String())
	}
	shape, shapes := "", sortedKeys(n.Shapes)
	if len(shapes) == 1 {
		shape, shapes = shapes[0], nil
		add("shape", shape)
	}
	for _, name := range shapes {
		add("shape "+name, strconv.Itoa(n.Shapes[name]))
	}
	add("SHA-256", s.SHA256)
	if s.MappedFileSHA256 != "" {
		add("SHA-256 of the file", s.MappedFileSHA256)
	}
	add("items", strconv.Itoa(s.Len()))
	add("lines skipped", strconv.Itoa(s.Skipped))
	add("longest item", fmt.Sprintf("%d bytes", s.LongestItemBytes))
	for _, k := range sortedKeys(n.Labels) {
		add("labelled "+k, strconv.Itoa(n.Labels[k]))
	}
	for _, g := range slices.SortedFunc(maps.Keys(n.Groups), CompareGroups) {
		add("group "+g, strconv.Itoa(n.Groups[g]))
	}
	t.Notes = slices.Clone(s.Notes)
	for _, b := range s.SkipReasons {
		t.Notes = append(t.Notes, "skipped: "+b.Error())
	}
	t.Data = map[string]any{
		"name":          s.Name,
		"format":        s.Format,
		"shape":         shape,
		"shapes":        n.Shapes,
		"notes":         s.Notes,
		"sha256":        s.SHA256,
		"items":         s.Len(),
		"skipped":       s.Skipped,
		"longest_bytes": s.LongestItemBytes,
		"groups":        n.Groups,
		"labels":        n.Labels,
	}
	if !s.Mapping.empty() {
		t.Data["columns"] = s.Mapping
	}
	return t, nil
}
