package judging

import (
	"testing"

	"gavel/judging/judgingtest"
)

// TestWhichOrderIsAskedFirst: where a run alternates, the swapped order is asked first of about half of the items, the
// same ones every time, and records say so; where it does not, as in a run that was begun before there was that, of
// none. The verdicts are the same.
func TestWhichOrderIsAskedFirst(t *testing.T) {
	set := judgingtest.Pairs(t, 100)
	runJob := func(alternates bool) (first map[string]int, verdicts map[string]string) {
		j, w := newJob(t, set, right(nil))
		j.Manifest.AlternatesOrder = alternates
		if err := j.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		first, verdicts = map[string]int{}, map[string]string{}
		for _, r := range w.Records {
			if _, ok := first[r.Item]; !ok {
				first[r.Item] = r.Presentation
			}
			if r.FirstPresentation != first[r.Item] {
				t.Errorf("%s, showing %d: %d is said to be asked first, and it was %d", r.Item, r.Presentation, r.FirstPresentation, first[r.Item])
			}
			verdicts[r.Item+string(rune('0'+r.Presentation))] = r.Choice
		}
		return first, verdicts
	}
	first, verdicts := runJob(true)
	repeated, _ := runJob(true)
	plain, same := runJob(false)
	swapped := 0
	for item, k := range first {
		swapped += k
		if repeated[item] != k || plain[item] != 0 {
			t.Errorf("%s: %d first, then %d; without alternating %d", item, k, repeated[item], plain[item])
		}
	}
	if swapped < 35 || swapped > 65 {
		t.Errorf("the swapped order is asked first of %d of 100 items", swapped)
	}
	if len(verdicts) != 200 || len(same) != 200 {
		t.Fatalf("%d and %d verdicts", len(verdicts), len(same))
	}
	for key, choice := range verdicts {
		if same[key] != choice {
			t.Errorf("%s: %s, without alternating %s", key, choice, same[key])
		}
	}
}
