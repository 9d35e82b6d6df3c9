package protocols_test

import (
	"slices"
	"strings"
	"testing"

	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/protocols"
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/probe"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// TestLayoutsNameWhatExists checks the names in each layout.yaml: the keys of metrics are in the protocol's
// metrics.yaml, the modes are its modes, and the parts of the bar are those that its scorer finds.
func TestLayoutsNameWhatExists(t *testing.T) {
	parts := map[string][]string{
		"pairwise": {
			pairwise.OutcomeRight, pairwise.OutcomeWrong, pairwise.OutcomeTie, pairwise.OutcomeAlwaysFirst, pairwise.OutcomeAlwaysSecond,
			pairwise.OutcomeMissing,
		},
		"answer": {answer.OutcomeRight, answer.OutcomeWrong, answer.OutcomeMissing},
		"self-reference": {
			selfreference.OutcomeRight, selfreference.OutcomeHelped, selfreference.OutcomeHarmed, selfreference.OutcomeWrong,
			selfreference.OutcomeMissing,
		},
		"multi-option": {
			multioption.OutcomeRight, multioption.OutcomeWrong, multioption.OutcomeSameOption, multioption.OutcomeInconsistent,
			multioption.OutcomeSamePosition, multioption.OutcomeMissing,
		},
		"pointwise": {"right", "tie", "wrong", "missing"},
		"probe":     {probe.OutcomeUnchanged, probe.OutcomeChanged, probe.OutcomeWrong, probe.OutcomeMissing},
	}
	parts["reversed"] = parts["pairwise"]
	modes := map[string][]string{"self-reference": {"", selfreference.ModeCoT, selfreference.ModeSelf}}
	goals := map[*report.Layout][]string{} // of the protocols with a layout
	notices := map[string]*report.Layout{}
	for _, p := range protocols.All {
		l := p.Layout
		keys := slices.Concat(l.Grouping.Metrics, []string{
			l.Headline, l.UnlabelledHeadline, l.Bracket.Metric, l.Grouping.ExtraMetric, l.BiasPlot.Metric,
		})
		mode := func(key, mode string) {
			keys = append(keys, key)
			if mode != "" && !slices.Contains(modes[p.Name], mode) {
				t.Errorf("%s: there is no mode %q of %s", p.Name, mode, key)
			}
		}
		for _, tile := range l.Tiles {
			mode(tile.Metric, tile.Mode)
			keys = append(keys, tile.ChanceMetric, tile.OverallMetric)
		}
		for _, c := range l.BoardColumns {
			mode(c.Metric, c.Mode)
		}
		for _, shown := range append(l.Grouping.Metrics, l.Headline) {
			keys = append(keys, strings.Replace(l.Grouping.ReferenceMetric, "*", shown, 1))
		}
		for _, key := range keys {
			if _, ok := scoring.MetricOf(p.Name, key); !ok && key != "" {
				t.Errorf("%s: metrics.yaml has no %q", p.Name, key)
			}
		}
		var ends []string
		for _, end := range l.Outcomes {
			ends = append(ends, end.Name)
			if !slices.Contains([]string{"right", "helped", "wrong", "tie", "first", "last", "none"}, end.Look) {
				t.Errorf("%s: no style has the look %q of %s", p.Name, end.Look, end.Name)
			}
		}
		if !slices.Equal(ends, parts[p.Name]) {
			t.Errorf("%s: the parts of the bar are %q, want %q", p.Name, ends, parts[p.Name])
		}
		for _, part := range l.Bracket.Parts {
			if !slices.Contains(ends, part) {
				t.Errorf("%s: no part %q to join", p.Name, part)
			}
		}
		for goal, code := range l.GoalNotices {
			goals[p.Layout] = append(goals[p.Layout], p.Goal)
			for _, o := range p.Options {
				goals[p.Layout] = append(goals[p.Layout], o.Values...)
			}
			notices[goal] = p.Layout
			phrases.Sentence(code) // panics if there is none
		}
	}
	for goal, l := range notices {
		if !slices.Contains(goals[l], goal) {
			t.Errorf("a notice on the goal %q, which no protocol has", goal)
		}
	}
}

// TestLayoutIsWrong checks that a layout with an unknown key, or of another type, is no layout.
func TestLayoutIsWrong(t *testing.T) {
	for _, text := range []string{"headlin: strict", "tiles: [{metric: strict, shown: true}]", "tiles: strict", "parts: [cards]"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: was read", text)
				}
			}()
			report.ReadLayout(text, report.LayoutFuncs{})
		}()
	}
}
