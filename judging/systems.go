package judging

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/backends"
)

// Systems counts what the replies of a run say of who gave them.
type Systems struct {
	records      int
	unverified   int // records
	replies      int
	named        map[string]int                   // by the name of a model that is not the one asked for
	fingerprints map[string]backends.Fingerprints // by the address of the server; "" where there is one
}

// Add counts the replies of a record; it keeps no hold of it.
func (s *Systems) Add(m *Manifest, r *Record) {
	if s.named == nil {
		s.named = map[string]int{}
		s.fingerprints = map[string]backends.Fingerprints{}
	}
	s.records++
	if r.Unverified {
		s.unverified++
	}
	s.replies += len(r.Replies)
	for _, reply := range r.Replies {
		if m.Model.Another(reply.Model) {
			s.named[reply.Model]++
		}
		if reply.SystemFingerprint == "" {
			continue
		}
		if s.fingerprints[reply.Endpoint] == nil {
			s.fingerprints[reply.Endpoint] = backends.Fingerprints{}
		}
		s.fingerprints[reply.Endpoint].Add(reply.SystemFingerprint)
	}
}

// Warnings are signs that another model than the run's gave some of its replies, in words.
func (s *Systems) Warnings(m *Manifest) (w []string) {
	if s.unverified > 0 {
		const text = "%d of %d judgments are unverified: their server could not be asked again which model it serves; " +
			"the same run command asks it"
		w = append(w, fmt.Sprintf(text, s.unverified, s.records))
	}
	if len(s.named) > 0 {
		const text = "replies name another model than %q, which was asked for: %s of %d replies; " +
			"see which model the server has under this name"
		w = append(w, fmt.Sprintf(text, m.Model.Name, counted(s.named), s.replies))
	}
	for _, url := range slices.Sorted(maps.Keys(s.fingerprints)) {
		if told := s.fingerprints[url]; told.Changed() {
			const text = "replies of %s have different system fingerprints, so its software, its setup or its model changed: " +
				"%s of %d replies; --no-cache and another --out ask for all of them anew"
			w = append(w, fmt.Sprintf(text, cmp.Or(url, "the server"), counted(told), s.replies))
		}
	}
	return w
}

// counted lists the commonest three names, each with how often it came.
func counted(names map[string]int) string {
	commonest := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(names[b]-names[a], strings.Compare(a, b))
	})
	var said []string
	for _, name := range commonest[:min(3, len(commonest))] {
		said = append(said, fmt.Sprintf("%q in %d", name, names[name]))
	}
	if len(commonest) > len(said) {
		said = append(said, "…")
	}
	return strings.Join(said, ", ")
}
