package probe

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gavel/scoring"
)

// codes of the rules that are the protocol's own.
const (
	codeMoved  = "moved"  // rewrites move verdicts beyond the noise floor
	codeSteady = "steady" // none does, by more than mostUnseen points
)

// mostUnseen is by how many points a rewrite may change verdicts for all that is known, where a judge is steady.
const mostUnseen = 10

// Diagnose says how often the judge is right, and which rewrites change verdicts. A judge that is no better than chance
// on the pairs as they are, such as one that follows the place, has nothing to lose.
func (f *pairs) Diagnose(r *scoring.Report) scoring.Diagnosis {
	if d, found := r.Silence("judgment"); found {
		return d
	}
	right, ok := r.Overall(Right).Held(50)
	if !ok || len(r.Probes) == 0 {
		return scoring.Unknowing(scoring.CodeFew, "No pair has all its judgments yet.")
	}
	level, code := right.Chance(right.High >= scoring.ReliableFrom)
	if code != "" {
		return scoring.Diagnosis{
			Level:    level,
			Code:     code,
			Evidence: []scoring.Evidence{right},
			Text: fmt.Sprintf(map[string]string{
				scoring.CodeInverted: "Wrong more often than right on the pairs as they are: right on %s.",
				scoring.CodeFew:      "Too few pairs to tell it from chance: right on %s of the pairs as they are.",
				scoring.CodeChance:   "No better than chance on the pairs as they are (%s): it has nothing to lose.",
			}[code], right),
		}
	}
	if r.Probes[0].P == nil {
		return scoring.Unknowing(scoring.CodeFew, "Too early to say which rewrites change its verdicts: %d of %d pairs "+
			"have all their judgments.", r.Items, r.Expected)
	}
	d := scoring.Diagnosis{Level: scoring.Weak, Code: codeMoved, Evidence: []scoring.Evidence{right}}
	moving := moving(r.Probes)
	if len(moving) > 0 {
		most := moving[0]
		d.Text = fmt.Sprintf("Moved by %d of %d rewrites, most by %s: %.0f %% of its verdicts change, %.0f %% when it is "+
			"asked anew.", len(moving), len(r.Probes), most.Name, *most.Changed.Value, *most.Again.Value)
		d.Also = "Each leaves the better response the better: " + strings.Join(words(moving), "; ") + "."
		return d
	}
	for _, p := range r.Probes {
		if f.rewrites.named(p.Name).form() && p.Beyond.Low != nil && *p.Beyond.Low > mostUnseen {
			d.Text = fmt.Sprintf("Its verdicts depend on the prompt's form: %.0f %% change by %s, %.0f %% when it is asked "+
				"anew.", *p.Changed.Value, p.Name, *p.Again.Value)
			return d
		}
	}
	if right.Low <= scoring.ReliableFrom {
		d.Code = scoring.CodeWeak
		d.Text = fmt.Sprintf("Better than chance, but right on only %s of the pairs as they are.", right)
		if right.Value > scoring.ReliableFrom {
			d.Text = fmt.Sprintf("Better than chance, but too few pairs to call it usable: right on %s.", right)
		}
		d.Also = fmt.Sprintf("None of %d rewrites moves its verdicts beyond the noise floor.", len(r.Probes))
		return d
	}
	return steady(d, right, r.Probes)
}

// steady is the diagnosis of an accurate judge that no rewrite moves: whether enough was asked to see one that does.
func steady(d scoring.Diagnosis, right scoring.Evidence, all []scoring.Probe) scoring.Diagnosis {
	least, most := all[0].Changed.N, 0.0
	form := 0.0
	for _, p := range all {
		least = min(least, p.Changed.N)
		if p.Changed.Value == nil || p.Neutral.Value == nil {
			least = 0
			continue
		}
		form = max(form, *p.Neutral.Value)
		most = max(most, unseen(p))
	}
	d.Level = scoring.Usable
	d.Code = codeSteady
	d.Text = fmt.Sprintf("Right on %s of the pairs as they are, and none of %d rewrites moves its verdicts beyond the "+
		"noise floor", right, len(all))
	if least == 0 || most > mostUnseen {
		d.Level = scoring.Unknown
		d.Code = scoring.CodeFew
		d.Text += fmt.Sprintf(", but with %d to see it on one may still change %.0f %% more of them: ask about more pairs.",
			least, most)
		return d
	}
	d.Text += fmt.Sprintf(" (%.0f %%; %d verdicts each or more, at most %.0f points unseen).", form, least, most)
	return d
}

// unseen returns by how many points more than the neutral ones a rewrite may change verdicts: the end of the interval
// of the difference, put together from both intervals (MOVER, Zou and Donner 2008).
func unseen(p scoring.Probe) float64 {
	return *p.Changed.Value - *p.Neutral.Value +
		math.Hypot(*p.Changed.High-*p.Changed.Value, *p.Neutral.Value-*p.Neutral.Low)
}

// moving are the rewrites that move verdicts beyond the noise floor, the most first.
func moving(all []scoring.Probe) (out []scoring.Probe) {
	for _, p := range all {
		if p.Moves() {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b scoring.Probe) int { return cmp.Compare(*b.Beyond.Value, *a.Beyond.Value) })
	return out
}

// words say what each changes, and towards what.
func words(all []scoring.Probe) (out []string) {
	for _, p := range all {
		changed := p.ToWorse + p.ToBetter + p.ToNeither
		out = append(out, fmt.Sprintf("%s – %s (%d of %d to the worse)", p.Name, p.About, p.ToWorse, changed))
	}
	return out
}
