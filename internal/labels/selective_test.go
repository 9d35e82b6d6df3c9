package labels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// TestSelectHolds: over the drawing of labels, believed verdicts on other items are wrong in more than the risk at most
// as often as delta says, of one judge and of a cascade of two, the second of which is better.
func TestSelectHolds(t *testing.T) {
	const labelled, others, worlds, risk, delta = 200, 2000, 300, 0.1, 0.1
	items := make([]string, labelled+others)
	for i := range items {
		items[i] = fmt.Sprint(i)
	}
	for _, size := range []int{1, 2} {
		above, covered := 0, 0
		for world := range worlds / size {
			rng := rand.New(rand.NewPCG(uint64(size), uint64(world)))
			truth := map[string]string{}
			judges := make([]*RunVerdicts, size)
			for k := range judges {
				judges[k] = &RunVerdicts{
					Verdicts:   make(map[string]string, len(items)),
					Confidence: make(map[string]float64, len(items)),
				}
			}
			for i, item := range items {
				if i < labelled {
					truth[item] = "A"
				}
				hard := rng.Float64()
				for k, j := range judges {
					sure := 1 - hard/2 + float64(k)*hard/6
					j.Confidence[item] = sure + 0.1*rng.Float64() // a little too sure
					if j.Verdicts[item] = "B"; rng.Float64() < sure {
						j.Verdicts[item] = "A"
					}
				}
			}
			stages := cascade(judges, items, truth, risk, delta)
			wrong, accepted := 0, 0
			for _, item := range items[labelled:] {
				for k, stage := range stages {
					if stage.Threshold != nil && judges[k].Confidence[item] >= *stage.Threshold {
						if accepted++; judges[k].Verdicts[item] == "B" {
							wrong++
						}
						break
					}
				}
			}
			covered += accepted
			if float64(wrong) > risk*float64(accepted) {
				above++
			}
		}
		n := worlds / size
		t.Logf("%d judges: above the risk in %d of %d worlds, %d %% of items believed", size, above, n, 100*covered/n/others)
		assert.Assert(t, float64(above) <= (delta+0.03)*float64(n), "%d judges: %d of %d", size, above, n)
		assert.Assert(t, covered > 0)
	}
}

// A judge that is believed nowhere is said to be so for a reason.
func TestSelectSaysWhyAJudgeIsNeverBelieved(t *testing.T) {
	const n = 60
	items := make([]string, n)
	truth := map[string]string{}
	for i := range items {
		items[i] = fmt.Sprint(i)
		truth[items[i]] = "A"
	}
	judge := func(confidence func(i int) float64, wrong func(i int) bool) *RunVerdicts {
		j := &RunVerdicts{Verdicts: map[string]string{}, Confidence: map[string]float64{}}
		for i, item := range items {
			j.Confidence[item] = confidence(i)
			if j.Verdicts[item] = "A"; wrong(i) {
				j.Verdicts[item] = "B"
			}
		}
		return j
	}
	always := func(int) float64 { return 1 }
	rising := func(i int) float64 { return float64(i+1) / n }
	third := func(i int) bool { return i%3 == 0 }
	for want, c := range map[string]struct {
		*RunVerdicts
		labelled int
	}{
		"its confidence never varies (1.0000), so it cannot separate the 20 of 60 labelled items that it judges wrong from the rest": {judge(always, third), n},
		"it judges 20 of 60 labelled items wrong, too many of them with its highest confidence, for a risk of 10 %":                  {judge(rising, third), n},
		"10 labelled items reach it, and 22 are needed even if none is judged wrong":                                                 {judge(rising, third), 10},
		"no labelled item with a confidence reaches it":                                                                              {judge(rising, third), 0},
	} {
		truths := map[string]string{}
		for _, item := range items[:c.labelled] {
			truths[item] = truth[item]
		}
		stages := cascade([]*RunVerdicts{c.RunVerdicts}, items, truths, 0.1, 0.1)
		assert.Assert(t, stages[0].Threshold == nil)
		assert.Equal(t, stages[0].Note, want)
	}
	perfect := cascade([]*RunVerdicts{judge(always, func(int) bool { return false })}, items, truth, 0.1, 0.1)
	assert.Equal(t, perfect[0].Note, "")
}
