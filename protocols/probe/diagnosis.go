package probe

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// Codes of diagnoses that only this protocol has.
const (
	codeMoved  = "moved"  // some rewrite changes verdicts beyond the noise floor (neutral rewrites)
	codeSteady = "steady" // no rewrite does, and none can have an effect above maxUndetectedEffect
)

// maxUndetectedEffect is the largest effect, in points, that a rewrite may still have by its interval if
// a judge is called steady.
const maxUndetectedEffect = 10

// Diagnose returns the level of a judge, and says which position it prefers if it significantly prefers one of two
// identical responses.
func (f *probeScorer) Diagnose(r *scoring.Report) scoring.Diagnosis {
	d := f.diagnosisOfLevel(r)
	first, ok := r.Overall(IdenticalFirst).CompareWithThreshold(50)
	if ok && (first.AboveThreshold || first.BelowThreshold) {
		d.Evidence = append(d.Evidence, first)
		d.Also = strings.TrimSpace(d.Also + " " + phrases.Sentence("probe.identical", first, first.N))
	}
	return d
}

// diagnosisOfLevel returns the diagnosis of a judge by how often it is right on original pairs, and by the rewrites
// that change its verdicts. Rewrites do not matter for a judge that is no better than chance on the original pairs,
// such as one that follows the position.
func (f *probeScorer) diagnosisOfLevel(r *scoring.Report) scoring.Diagnosis {
	if d, ok := r.DiagnoseMissing("judgment"); ok {
		return d
	}
	right, ok := r.Overall(RightOnOriginal).CompareWithThreshold(50)
	if !ok || len(r.Probes) == 0 {
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "probe.nothing")
	}
	level, code := right.CompareWithChance(right.High >= scoring.LeastConsistentAccuracy)
	if code != "" {
		return scoring.Diagnosis{
			Level:    level,
			Code:     code,
			Evidence: []scoring.Evidence{right},
			Text:     phrases.Sentence("probe.correct-"+code, right),
		}
	}
	if r.Probes[0].P == nil {
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "probe.early", r.Items, r.Expected)
	}
	d := scoring.Diagnosis{Level: scoring.LevelWeak, Code: codeMoved, Evidence: []scoring.Evidence{right}}
	moving := movingRewrites(r.Probes)
	if len(moving) > 0 {
		strongest := moving[0]
		d.Text = phrases.Sentence("probe.moved", len(moving), len(r.Probes), strongest.Name, *strongest.Changed.Value,
			*strongest.Repeated.Value)
		d.Also = phrases.Sentence("probe.rewrites", strings.Join(descriptions(moving), "; "))
		return d
	}
	for _, p := range r.Probes {
		if f.rewrites.Find(p.Name).isNeutral() && p.Effect.Low != nil && *p.Effect.Low > maxUndetectedEffect {
			d.Text = phrases.Sentence("probe.form", *p.Changed.Value, p.Name, *p.Repeated.Value)
			return d
		}
	}
	if right.Low <= scoring.LeastConsistentAccuracy {
		d.Code = scoring.CodeWeakJudge
		d.Text = phrases.Sentence("probe.weak", right)
		if right.Value > scoring.LeastConsistentAccuracy {
			d.Text = phrases.Sentence("probe.weak-few", right)
		}
		d.Also = phrases.Sentence("probe.none", len(r.Probes))
		return d
	}
	return steadyDiagnosis(d, right, r.Probes)
}

// steadyDiagnosis completes the diagnosis d of an accurate judge whose verdicts no rewrite significantly changes: by
// whether there are enough verdicts to exclude a larger effect than maxUndetectedEffect.
func steadyDiagnosis(d scoring.Diagnosis, right scoring.Evidence, all []scoring.Probe) scoring.Diagnosis {
	fewestVerdicts, largestUnseen := all[0].Changed.N, 0.0
	form := 0.0
	for _, p := range all {
		fewestVerdicts = min(fewestVerdicts, p.Changed.N)
		if p.Changed.Value == nil || p.Neutral.Value == nil {
			fewestVerdicts = 0
			continue
		}
		form = max(form, *p.Neutral.Value)
		largestUnseen = max(largestUnseen, largestPossibleEffect(p))
	}
	d.Level = scoring.LevelUsable
	d.Code = codeSteady
	d.Text = phrases.Sentence("probe.steady", right, len(all), form, fewestVerdicts, largestUnseen)
	if fewestVerdicts == 0 || largestUnseen > maxUndetectedEffect {
		d.Level = scoring.LevelUnknown
		d.Code = scoring.CodeTooFewItems
		d.Text = phrases.Sentence("probe.unseen", right, len(all), fewestVerdicts, largestUnseen)
	}
	return d
}

// largestPossibleEffect returns the largest effect of a rewrite that the verdicts leave possible, in points over the
// neutral rewrites: the upper end of the interval of the difference, combined from both intervals (MOVER, Zou and
// Donner 2008).
func largestPossibleEffect(p scoring.Probe) float64 {
	return *p.Changed.Value - *p.Neutral.Value +
		math.Hypot(*p.Changed.High-*p.Changed.Value, *p.Neutral.Value-*p.Neutral.Low)
}

// movingRewrites returns the rewrites that significantly change verdicts beyond the noise floor, the strongest first.
func movingRewrites(all []scoring.Probe) (out []scoring.Probe) {
	for _, p := range all {
		if p.IsSignificant() {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b scoring.Probe) int { return cmp.Compare(*b.Effect.Value, *a.Effect.Value) })
	return out
}

// descriptions returns for each rewrite a phrase with what it changes, and how many of the changed verdicts
// prefer the worse response.
func descriptions(all []scoring.Probe) (out []string) {
	for _, p := range all {
		changed := p.ToWorse + p.ToBetter + p.ChangesToNeither
		out = append(out, phrases.Sentence("probe.rewrite", p.Name, p.About, p.ToWorse, changed))
	}
	return out
}
