package judging

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/backends"
)

// ServedModels counts the models and the servers' system fingerprints that the replies of a run name.
type ServedModels struct {
	recordCount  int                              // records added
	unverified   int                              // records marked unverified; see [Record].Unverified
	totalReplies int                              // replies of all records
	otherModels  map[string]int                   // replies by the name of a model other than the requested one
	fingerprints map[string]backends.Fingerprints // of replies, by the server's address; "" if the run has one server
}

// Add counts the replies of a record of the run m, and does not keep the record.
func (s *ServedModels) Add(m *Manifest, r *Record) {
	if s.otherModels == nil {
		s.otherModels = map[string]int{}
		s.fingerprints = map[string]backends.Fingerprints{}
	}
	s.recordCount++
	if r.Unverified {
		s.unverified++
	}
	s.totalReplies += len(r.Replies)
	for _, reply := range r.Replies {
		if m.Model.DiffersFromReplyName(reply.Model) {
			s.otherModels[reply.Model]++
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

// Warnings returns sentences for signs that another model than the run's gave some of its replies.
func (s *ServedModels) Warnings(m *Manifest) (w []string) {
	if s.unverified > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments are unverified: their server could not be asked again "+
			"which model it serves; the same run command asks it", s.unverified, s.recordCount))
	}
	if len(s.otherModels) > 0 {
		w = append(w, fmt.Sprintf("replies name another model than %q, which was asked for: %s of %d replies; "+
			"see which model the server has under this name", m.Model.Name, topCounts(s.otherModels), s.totalReplies))
	}
	for _, url := range slices.Sorted(maps.Keys(s.fingerprints)) {
		if prints := s.fingerprints[url]; prints.Changed() {
			w = append(w, fmt.Sprintf("replies of %s have different system fingerprints, so its software, its setup "+
				"or its model changed: %s of %d replies; --no-cache and another --out ask for all of them anew",
				cmp.Or(url, "the server"), topCounts(prints), s.totalReplies))
		}
	}
	return w
}

// topCounts lists the three most frequent names with their counts.
func topCounts(names map[string]int) string {
	commonest := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(names[b]-names[a], strings.Compare(a, b))
	})
	var parts []string
	for _, name := range commonest[:min(3, len(commonest))] {
		parts = append(parts, fmt.Sprintf("%q in %d", name, names[name]))
	}
	if len(commonest) > len(parts) {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}
