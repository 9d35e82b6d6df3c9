package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest returns the name closest to a mistyped one: the one with the fewest letters to change, at most half of
// either, else the first that begins with it; "" if none is close. Two exchanged letters count as one change.
func Nearest(typed string, names []string) string {
	best, fewest := "", len(typed)+1
	for _, n := range names {
		d := smetrics.WagnerFischer(typed, n, 1, 1, 1)
		if d == 2 && slices.Equal(slices.Sorted(strings.SplitSeq(typed, "")), slices.Sorted(strings.SplitSeq(n, ""))) {
			d = 1
		}
		if d < fewest && d <= max(1, min(len(typed), len(n))/2) {
			best, fewest = n, d
		}
	}
	for _, n := range names {
		if best == "" && typed != "" && strings.HasPrefix(n, typed) {
			best = n
		}
	}
	return best
}

// UnknownError returns the error for an unknown dataset name.
func UnknownError(name string) error {
	return fmt.Errorf("unknown dataset %q%s All names: gavel datasets list", name, cmp.Or(DidYouMean(name, Names()), "."))
}

// DidYouMean returns an error's suffix for an unknown name: ", did you mean NAME?", or "". If several names begin with
// the likely one, as those of a dataset's parts do, it lists the first few.
func DidYouMean(typed string, names []string) string {
	const limit = 3
	candidates := slices.Clone(names)
	for _, n := range names {
		stem, _, _ := strings.Cut(n, "-")
		candidates = append(candidates, stem)
	}
	var matches []string
	for _, stem := range []string{typed, Nearest(typed, candidates)} {
		for _, n := range names {
			part := stem != "" && strings.HasPrefix(n, stem+"-") && !slices.Contains(names, stem)
			if part || n == stem {
				matches = append(matches, n)
			}
		}
		if matches != nil {
			break
		}
	}
	if matches == nil {
		return ""
	}
	if more := len(matches) - limit; more > 1 {
		matches = append(matches[:limit], fmt.Sprintf("one of %d more", more))
	}
	return fmt.Sprintf(", did you mean %s?", strings.Join(matches, " or "))
}
