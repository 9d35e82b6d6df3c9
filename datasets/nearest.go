package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest is the name that somebody may have meant who typed another: the one with the fewest letters to change, at
// most half of either, else the first that begins so; "" where none is near. Two letters that changed places are
// one change.
func Nearest(typed string, names []string) string {
	best, least := "", len(typed)+1
	for _, n := range names {
		d := smetrics.WagnerFischer(typed, n, 1, 1, 1)
		if d == 2 && slices.Equal(slices.Sorted(strings.SplitSeq(typed, "")), slices.Sorted(strings.SplitSeq(n, ""))) {
			d = 1
		}
		if d < least && d <= max(1, min(len(typed), len(n))/2) {
			best, least = n, d
		}
	}
	for _, n := range names {
		if best == "" && typed != "" && strings.HasPrefix(n, typed) {
			best = n
		}
	}
	return best
}

// Unknown is the error of a name that no dataset has.
func Unknown(name string) error {
	return fmt.Errorf("unknown dataset %q%s All names: gavel datasets list", name, cmp.Or(DidYouMean(name, Names()), "."))
}

// DidYouMean returns what an error adds to an unknown name: ", did you mean NAME?", or nothing. If several names begin
// with the one that is meant, as those of the parts of a dataset do, it names the first few of them.
func DidYouMean(typed string, names []string) string {
	const few = 3
	known := slices.Clone(names)
	for _, n := range names {
		stem, _, _ := strings.Cut(n, "-")
		known = append(known, stem)
	}
	var meant []string
	for _, stem := range []string{typed, Nearest(typed, known)} {
		for _, n := range names {
			part := stem != "" && strings.HasPrefix(n, stem+"-") && !slices.Contains(names, stem)
			if part || n == stem {
				meant = append(meant, n)
			}
		}
		if meant != nil {
			break
		}
	}
	if meant == nil {
		return ""
	}
	if more := len(meant) - few; more > 1 {
		meant = append(meant[:few], fmt.Sprintf("one of %d more", more))
	}
	return fmt.Sprintf(", did you mean %s?", strings.Join(meant, " or "))
}
