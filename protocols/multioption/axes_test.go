package multioption

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Each axis but the positions marks every option once, in one order. Only what is marked differs.
func TestVariedPrompts(t *testing.T) {
	item := optionsItem("seven", "eight", "nine")
	p := choosing(t, "1", judging.Settings{"vary": "all"})
	plain := choosing(t, "1", nil)
	all := p.Presentations(item)
	assert.Equal(t, len(all), 3+4*3)
	assert.DeepEqual(t, all[:3], plain.Presentations(item))
	base := plain.Prompt(item, all[0])
	signs := map[string]string{"length": "once more", "markdown": "## Summary", "author": "Osei"}
	for i, s := range all[3:] {
		assert.Equal(t, s.Index, 3+i)
		assert.DeepEqual(t, s.Order, all[0].Order)
		prompt := p.Prompt(item, s)
		options := strings.Split(prompt.User, "[\\Option ")
		assert.Equal(t, prompt.Oracle.SupportedVerdict, fmt.Sprintf("Selection: Option %d", i%3+1))
		for k, option := range options[:3] {
			if sign := signs[s.Mode]; sign != "" {
				assert.Equal(t, strings.Contains(option, sign), k == i%3, "%s: %s", s.Mode, option)
			} else {
				assert.Equal(t, strings.Contains(option, item.Question), k == i%3, "%s: %s", s.Mode, option)
			}
		}
		if s.Mode == "parts" && i%3 == 0 {
			assert.Equal(t, prompt.User, base.User)
		}
	}
	length := choosing(t, "1", judging.Settings{"vary": "length"}).Presentations(item)
	assert.Equal(t, len(length), 6)
	assert.Equal(t, length[5].Mode, "length")
	err := choosing(t, "1", judging.Settings{"vary": "length", "orders": "all"}).Check(item)
	assert.ErrorContains(t, err, "--vary needs --orders rotations")
}

// Computed by hand: over an axis, the marked option plays the part of the first position.
func TestGradeOverAnAxis(t *testing.T) {
	for name, c := range map[string]struct {
		choices []int // candidate chosen where each of the three is marked, −1 without a verdict
		want    float64
	}{
		"always the same option":   {choices: []int{1, 1, 1}, want: 1},
		"always the marked option": {choices: []int{0, 1, 2}, want: 0},
		// marks 0, 2, 2: entropy 0.9183/1.585 = 0.5794; choice 2/3
		"once the marked option": {choices: []int{0, 0, 1}, want: 2 * 0.5794 * 0.6667 / (0.5794 + 0.6667)},
		"one without a verdict":  {choices: []int{1, 1, -1}, want: 2 * 0.6309 * 1 / 1.6309},
	} {
		m := &judging.Manifest{}
		m.Spec.ProtocolOptions = judging.Settings{"vary": "length"}
		f := NewScorer(m).(*multiOptionScorer)
		for i := range 6 {
			r := &judging.Record{Item: "i", Shape: "options", Presentation: i, Presentations: 6, Order: []string{"01", "02", "03"}}
			v := judging.Verdict{Outcome: judging.Decided, Choice: 0}
			if i >= 3 {
				r.Mode, v.Choice = "length", c.choices[i-3]
			} else {
				r.Order = append(r.Order[i:], r.Order[:i]...)
			}
			if v.Choice < 0 {
				v = judging.EmptyVerdict(judging.NoVerdict)
			}
			order := fmt.Sprint(r.Order)
			added, err := f.Add(r, v)
			assert.Assert(t, added && err == nil, "%v", err)
			repeated, err := f.Add(r, v)
			assert.Assert(t, !repeated && err == nil, "%v", err)
			assert.Equal(t, fmt.Sprint(r.Order), order) // the record stays
		}
		assert.Equal(t, f.Finish(), 1)
		s := f.Sheet(scoring.MissingUsable, 1)
		got := map[string]float64{}
		for _, x := range s.ScoreAsGroup(scoring.Overall, "item", stats.Bootstrap{Rounds: 20, Level: 0.95, Seed: 1}) {
			if x.Mode == "length" {
				got[x.Metric] = *x.Value
			}
			assert.Assert(t, x.Mode == "" || x.Mode == "length", "%v", x)
		}
		assert.Assert(t, abs(got[GradeScore]-100*c.want) < 0.1, "%s: %v, want %v", name, got, c.want)
		assert.Assert(t, abs(got[axisMinusPosition]-100*(c.want-1)) < 0.1, "%s: %v", name, got)
	}
}

func abs(x float64) float64 { return max(x, -x) }

// An axis that sways the judge on 20 % of 350 items is found in 95 % of 200 simulated runs; in at most 5 % an axis is
// found that does not.
func TestUnstableAxisIsFound(t *testing.T) {
	const n, options, worlds = 350, 4, 200
	rng := rand.New(rand.NewPCG(3, 9))
	orders := rotations(options)
	// simulate returns an item's positions, or marks, that a judge chooses that errs in 5 % of judgments
	simulate := func(item string, sway float64) ballot {
		b := ballot{item: item, ids: []string{"a", "b", "c", "d"}, equalTextClass: []int{0, 1, 2, 3}, unrelated: -1, orders: orders}
		choice, swayed := rng.IntN(options), rng.Float64() < sway
		for _, order := range orders {
			position := 0
			for !swayed && order[position] != choice {
				position++
			}
			if rng.Float64() < 0.05 {
				position = rng.IntN(options)
			}
			b.positions = append(b.positions, position)
		}
		return b
	}
	for _, sway := range []float64{0.2, 0} {
		hits, wrong := 0, 0
		for range worlds {
			f := &multiOptionScorer{vary: "all"}
			for i := range n {
				item := fmt.Sprint(i)
				f.ballots = append(f.ballots, new(simulate(item, 0)))
				for _, w := range axes[1:] {
					p := 0.0
					if w.Name == "length" {
						p = sway
					}
					f.itemsByAxis.Get(w.Name+item, func(string) ballot { return simulate(item, p) })
				}
			}
			list := f.axisMetrics()
			s := &scoring.Sheet{}
			for _, b := range f.ballots {
				t := scoredBallot{ballot: b, judgeScores: b.scores(scoring.MissingUsable), missingPolicy: scoring.MissingUsable}
				s.Units = append(s.Units, scoring.Unit{ID: b.item, Data: t})
			}
			results := s.WithMetrics(scoring.AssignColumns(list), 2*len(list), func(u scoring.Unit) []float64 {
				row := make([]float64, 2*len(list))
				scoring.FillRow(list, u.Data.(scoredBallot), row)
				return row
			}).ScoreAsGroup(scoring.Overall, "item", stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1})
			blocks := axesBlock(report.NewRunPage(report.Run{Report: scoring.Report{Protocol: name, Results: results}}))
			swayed, others := false, false
			for _, note := range blocks[0].Notes {
				if note.Code == "options.less-stable" {
					byLength := strings.Contains(fmt.Sprint(note), "length")
					swayed, others = swayed || byLength, others || !byLength || sway == 0
				}
			}
			hits += int(scoring.Indicator(swayed))
			wrong += int(scoring.Indicator(others))
		}
		t.Logf("swayed on %.0f %%: found in %d, wrongly in %d of %d", 100*sway, hits, wrong, worlds)
		assert.Assert(t, sway == 0 || hits >= worlds*95/100, "%d", hits)
		assert.Assert(t, wrong <= worlds*5/100, "%d", wrong)
	}
}
