package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/scoring"
)

// codes of the rules that are the protocol's own.
const (
	codeMoved  = "moved"  // rewrites change verdicts beyond the judge's own noise
	codeSteady = "steady" // none does, by more than mostUnseen points
)

// mostUnseen is by how many points a rewrite may change verdicts for all that is known, where a judge is steady.
const mostUnseen = 10

// Diagnose says which rewrites change verdicts. A judge that is no better than chance on the pairs as they are, such as
// one that follows the place, has nothing to lose.
func (*pairs) Diagnose(r *scoring.Report) scoring.Diagnosis {
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
	d := scoring.Diagnosis{Level: scoring.Usable, Code: codeSteady, Evidence: []scoring.Evidence{right}}
	moving := moving(r.Probes)
	if len(moving) > 0 {
		d.Level = scoring.Weak
		d.Code = codeMoved
		most := moving[0]
		d.Text = fmt.Sprintf("Moved by %d of %d rewrites, most by %s: %.0f %% of its verdicts change, %.0f %% when it is "+
			"asked anew.", len(moving), len(r.Probes), most.Name, *most.Changed.Value, *most.Again.Value)
		d.Also = "Each leaves the better response the better: " + strings.Join(words(moving), "; ") + "."
		return d
	}
	least, most := r.Probes[0].Changed.N, 0.0
	for _, p := range r.Probes {
		least = min(least, p.Changed.N)
		if p.Beyond.High == nil {
			least = 0
			continue
		}
		most = max(most, *p.Beyond.High)
	}
	d.Text = fmt.Sprintf("None of %d rewrites changes its verdicts beyond its own noise", len(r.Probes))
	if least == 0 || most > mostUnseen {
		d.Level = scoring.Unknown
		d.Code = scoring.CodeFew
		d.Text += fmt.Sprintf(", but with %d to see it on one may still change %.0f %% of them: ask about more pairs.",
			least, most)
		return d
	}
	d.Text += fmt.Sprintf(" (%d verdicts each or more, at most %.0f points unseen).", least, most)
	return d
}

// moving are the rewrites that change verdicts beyond noise, the most first.
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
