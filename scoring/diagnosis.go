package scoring

import (
	"fmt"
	"math"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Level is what a judge is good for.
type Level string

// Levels, the worst first; Unknown is of runs that are too small to tell.
const (
	Unknown  Level = "unknown"
	Unusable Level = "unusable" // gives no verdicts, goes by the position, or is no better than chance
	Weak     Level = "weak"     // better than chance, and no more than that
	Usable   Level = "usable"   // where it is asked in every order
	Strong   Level = "strong"
)

// Diagnosis says in a sentence what a judge is good for on the items of a run. It is made from the ends of intervals, never
// from values alone: docs/diagnosis.md has the rules.
type Diagnosis struct {
	Level    Level      `json:"level"`    // `unusable`, `weak`, `usable` (in every order) or `strong`
	Code     string     `json:"code"`     // of the rule that was met, see diagnosis.md
	Text     string     `json:"text"`     // one sentence
	Evidence []Evidence `json:"evidence"` // the numbers that it goes by
}

// Evidence is a number that a diagnosis goes by.
type Evidence struct {
	Metric    string  `json:"metric"`             // as in `results`
	Group     string  `json:"group,omitempty"`    // as in `results`
	Mode      string  `json:"mode,omitempty"`     // as in `results`
	Unit      string  `json:"unit,omitempty"`     // as in `results`
	Value     float64 `json:"value"`              // as in `results`
	Low       float64 `json:"low"`                // as in `results`
	High      float64 `json:"high"`               // as in `results`
	Interval  string  `json:"interval,omitempty"` // how it was made, see PROTOCOLS.md §5
	N         int     `json:"n"`                  // as in `results`
	Threshold float64 `json:"threshold"`          // what the interval was held against
	Above     bool    `json:"above,omitempty"`    // the interval lies above it
	Below     bool    `json:"below,omitempty"`    // the interval lies below it
}

// Diagnoser is a scorer whose runs have a diagnosis.
type Diagnoser interface{ Diagnose(rep *Report) Diagnosis }

func (r *Report) diagnose(s Scorer) {
	if s, ok := s.(Diagnoser); ok {
		d := s.Diagnose(r)
		r.Diagnosis = &d
	}
}

// Diagnose adds the diagnosis to a report that was written before there was one.
func (r *Report) Diagnose(m *judging.Manifest) {
	if scorer, ok := scorers[m.Spec.Protocol]; ok && r.Diagnosis == nil {
		r.diagnose(scorer(m))
	}
}

// Codes of rules that several protocols have.
const (
	CodeNothing  = "nothing"  // no item is complete
	CodeSilent   = "silent"   // too many judgments have no verdict
	CodePosition = "position" // the verdict follows the position
	CodeLabel    = "label"    // the verdict is always the same label
	CodeTies     = "ties"     // most verdicts are ties
	CodeInverted = "inverted" // worse than chance
	CodeChance   = "chance"   // no better than chance
	CodeFew      = "few"      // too few items to tell it from chance
	CodeWeak     = "weak"
	CodeUsable   = "usable"
	CodeStrong   = "strong"
)

// Thresholds of the rules, in percent. docs/diagnosis.md says why.
const (
	MostSilent  = 10 // of judgments without a verdict
	MostByPlace = 75 // of verdicts that name one position
	MostOneWay  = 95 // of verdicts that are one label
	MostTies    = 50
	UsableFrom  = 50 // of items that are right in every order
	StrongFrom  = 75
)

// strongly is how much further from the value than the end of a 95 % interval that of a one-sided one of 99 % lies: the
// quotient of the normal quantiles of .99 and .975.
const strongly = 2.3263 / 1.95996

// Held is a result held against a threshold. ok is false where the result has no interval.
func (x Result) Held(threshold float64) (e Evidence, ok bool) {
	if x.Value == nil || x.Low == nil || x.High == nil {
		return Evidence{}, false
	}
	e = Evidence{Metric: x.Metric, Group: x.Group, Mode: x.Mode, Unit: x.Unit, Value: *x.Value, Low: *x.Low, High: *x.High, Interval: x.Interval, N: x.N}
	if e.Group == Overall {
		e.Group = ""
	}
	return e.against(threshold), true
}

// against is the same number held against another threshold.
func (e Evidence) against(threshold float64) Evidence {
	e.Threshold, e.Above, e.Below = threshold, e.Low > threshold, e.High < threshold
	return e
}

// Mirrored is the share of the others, held against the same threshold.
func (e Evidence) Mirrored() Evidence {
	e.Value, e.Low, e.High = 100-e.Value, 100-e.High, 100-e.Low
	return e.against(e.Threshold)
}

// ShareOf is k of n, in percent, held against a threshold. Where several belong together n is how many independent ones they
// are worth, and k the share of it.
func ShareOf(metric string, k, n, threshold float64) Evidence {
	units := int(math.Round(n))
	iv := stats.Blaker(int(math.Round(k)), units, 0.95)
	return Evidence{Metric: metric, Value: 100 * k / n, Low: 100 * iv.Low, High: 100 * iv.High, Interval: ByBlaker, N: units}.against(threshold)
}

// String is the value with its interval: "58 % [53, 63]".
func (e Evidence) String() string {
	if e.Unit != "" {
		return fmt.Sprintf("%.2f [%.2f, %.2f]", e.Value, e.Low, e.High)
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", e.Value, e.Low, e.High)
}

// Surely and SurelyNot tell whether the value is above the threshold, or below it, at 99 %, one-sided: what is said of a
// judge is held to more than an interval is.
func (e Evidence) Surely() bool    { return e.Value-(e.Value-e.Low)*strongly > e.Threshold }
func (e Evidence) SurelyNot() bool { return e.Value+(e.High-e.Value)*strongly < e.Threshold }

// Rank is the level of a judge that is better than chance, by the share of items it is right on in every order.
func (e Evidence) Rank() (Level, string) {
	switch strong := e.against(StrongFrom); {
	case strong.Surely():
		return Strong, CodeStrong
	case e.Low > UsableFrom:
		return Usable, CodeUsable
	}
	return Weak, CodeWeak
}

// Chance says how a judge stands beside chance: CodeInverted, CodeFew or CodeChance, or "" where it is better. e is held
// against chance; could is whether it may yet be a usable judge for all that is known.
func (e Evidence) Chance(could bool) (Level, string) {
	switch {
	case e.SurelyNot():
		return Unusable, CodeInverted
	case e.Surely():
		return "", ""
	case could:
		return Unknown, CodeFew
	}
	return Unusable, CodeChance
}

// Diagnose says of a share of items that are right, held against chance, what it is worth. says are the sentences by the
// codes of Chance, "" of a judge that is better.
func (e Evidence) Diagnose(says map[string]string, of ...any) Diagnosis {
	level, code := e.Chance(e.High >= UsableFrom)
	text := says[code]
	if code == "" {
		level, code = e.Rank()
	}
	return Diagnosis{level, code, fmt.Sprintf(text, of...), []Evidence{e}}
}

// WithoutVerdict is the share of judgments without a verdict.
const WithoutVerdict = "without-verdict"

// Verdictless is the share of judgments without a verdict; the zero Result where there is no judgment. Judgments of one item
// are no independent ones: the interval counts items.
func (r *Report) Verdictless() Result {
	n := r.Judgments()
	if n == 0 {
		return Result{}
	}
	units := float64(min(n, max(1, r.Items)))
	e := ShareOf(WithoutVerdict, float64(r.lost())/float64(n)*units, units, MostSilent)
	return Result{Metric: WithoutVerdict, Group: Overall, Value: &e.Value, Low: &e.Low, High: &e.High, Interval: e.Interval, N: n}
}

// lost is how many judgments have no verdict.
func (r *Report) lost() int {
	return r.Judgments() - r.Outcomes[string(judging.Decided)] - r.Outcomes[string(judging.Tie)]
}

// Silence diagnoses a run of which too many judgments have no verdict.
func (r *Report) Silence(noun string) (d Diagnosis, found bool) {
	e, ok := r.Verdictless().Held(MostSilent)
	switch {
	case !ok:
		return Diagnosis{Level: Unknown, Code: CodeNothing, Text: "Nothing has been judged yet.", Evidence: []Evidence{}}, true
	case !e.Above:
		return d, false
	}
	lost := r.lost()
	text := fmt.Sprintf("%s is without a verdict (%s)", oneIn(e.Value, noun), e)
	if lost == e.N {
		text = fmt.Sprintf("No %s of %d has a verdict", noun, e.N)
	}
	return Diagnosis{Unusable, CodeSilent, text + ": mend that before reading the rest" + r.remedy(lost) + ".", []Evidence{e}}, true
}

// remedy is what to try where verdicts are missing, by what most of them are missing for.
func (r *Report) remedy(lost int) string {
	for outcome, try := range map[judging.Outcome]string{
		judging.NoVerdict: "try --constrain", judging.Conflict: "try --constrain", judging.Cut: "replies were cut: try a larger --max-tokens",
		judging.TooLong: "prompts did not fit: give the server a larger context", judging.Failed: "calls failed: see gavel doctor",
		judging.Refused: "the model refused: try another prompt",
	} {
		if 2*r.Outcomes[string(outcome)] > lost {
			return " (" + try + ")"
		}
	}
	return ""
}

// oneIn says a share, in percent, of a noun in words: "One reply in five".
func oneIn(percent float64, noun string) string {
	words := []string{1: "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	switch n := int(math.Round(100 / math.Max(percent, 1))); {
	case percent >= 90:
		return "Nearly every " + noun
	case percent > 60:
		return fmt.Sprintf("%s %ss in %s", map[bool]string{true: "Two", false: "Three"}[percent < 70], noun, map[bool]string{true: "three", false: "four"}[percent < 70])
	case n < len(words):
		return fmt.Sprintf("One %s in %s", noun, words[n])
	default:
		return fmt.Sprintf("One %s in %d", noun, n)
	}
}

// OneIn is a share, in percent, in words that go on a sentence.
func OneIn(percent float64, noun string) string {
	s := oneIn(percent, noun)
	return strings.ToLower(s[:1]) + s[1:]
}
