package verdicts

import (
	"math"
	"slices"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// unlikeFrom is the smallest difference of shares, in points, that makes items unlike the measured ones.
const unlikeFrom = 5

// compare warns of items unlike the measured ones: by the shares of those in a language that is rare among the measured
// ones, of those that are longer or shorter than nearly all of these, and of consistent verdicts. Shares differ if their
// intervals do not overlap, which is stricter than a test at the level of reports with Bonferroni's correction.
func (r *Result) compare(items, measured []*item) {
	var lengths []int
	languages := map[string]int{}
	for _, x := range measured {
		lengths = append(lengths, x.length)
		languages[x.Language]++
	}
	slices.Sort(lengths)
	tail := len(lengths) / 20
	shortest, longest := lengths[tail], lengths[len(lengths)-1-tail]
	warn := func(code string, has func(x *item) bool) bool {
		share := func(items []*item) scoring.Evidence {
			k := 0.0
			for _, x := range items {
				k += scoring.Indicator(has(x))
			}
			return scoring.ShareOf("", k, float64(len(items)), 0)
		}
		here, before := share(items), share(measured)
		unlike := math.Abs(here.Value-before.Value) >= unlikeFrom && (here.Low > before.High || here.High < before.Low)
		if unlike {
			r.Warnings = append(r.Warnings, phrases.Say(code, here, before))
		}
		return unlike
	}
	foreign := func(x *item) bool { return x.Language != "" && unlikeFrom*len(measured) > 100*languages[x.Language] }
	unlike := warn("judge.unlike-language", foreign)
	for _, x := range items {
		if !unlike || !foreign(x) {
			x.Language = ""
		}
	}
	warn("judge.unlike-length", func(x *item) bool { return x.length < shortest || x.length > longest })
	warn("judge.unlike-consistency", func(x *item) bool { return x.Consistent })
}
