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
	Usable   Level = "usable"   // its verdicts that agree in every order are to be relied on
	Strong   Level = "strong"
)

// Diagnosis says in a sentence what a judge is good for on the items of a run. It is made from the ends of intervals,
// never from values alone: docs/diagnosis.md has the rules.
type Diagnosis struct {
	Level    Level      `json:"level"`    // `unusable`, `weak`, `usable` (in every order) or `strong`
	Code     string     `json:"code"`     // of the rule that was met, see diagnosis.md
	Text     string     `json:"text"`     // a sentence or two: what to do with the judge
	Evidence []Evidence `json:"evidence"` // the numbers that it goes by

	Also string `json:"-"` // the report's
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

// Unknowing is the diagnosis of a judge of which nothing can be said, and why.
func Unknowing(code, text string, of ...any) Diagnosis {
	return Diagnosis{Level: Unknown, Code: code, Text: fmt.Sprintf(text, of...), Evidence: []Evidence{}}
}

// Unbounded is the diagnosis of a judge whose headline, a share of so many of a noun, has no interval: of a run that is
// not at its end, say. right is what is so of that share.
func (r *Report) Unbounded(right string, headline Result, noun string) Diagnosis {
	far := ""
	if r.Items < r.Expected {
		far = " so far"
	}
	return Unknowing(CodeFew, "%s %.0f %% of %d %s%s%s: there is no interval to say what that is worth.",
		right, *headline.Value, headline.N, noun, plural(headline.N), far)
}

func (r *Report) diagnose(s Scorer) {
	if s, ok := s.(Diagnoser); ok {
		d := s.Diagnose(r)
		r.Diagnosis = &d
		r.Says = d.Text
		r.Also = d.Also
	}
}

// Diagnose adds the diagnosis to a report that was written before there was one.
func (r *Report) Diagnose(m *judging.Manifest) {
	if scorer, ok := scorers[m.Spec.Protocol]; ok && r.Diagnosis == nil {
		r.manifest = m
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
	UsableFrom  = 50 // of items that are correct in every order
	StrongFrom  = 75
	// of the verdicts that are kept, where each is one of two: a third of the way from chance to perfect
	ReliableFrom = 200.0 / 3
)

// strongly is how much further from the value than the end of a 95 % interval that of a one-sided one of 99 % lies: the
// quotient of the normal quantiles of .99 and .975.
const strongly = 2.3263 / 1.95996

// Held is a result held against a threshold. ok is false where the result has no interval.
func (x Result) Held(threshold float64) (e Evidence, ok bool) {
	if x.Value == nil || x.Low == nil || x.High == nil {
		return Evidence{}, false
	}
	e = Evidence{
		Metric:   x.Metric,
		Group:    x.Group,
		Mode:     x.Mode,
		Unit:     x.Unit,
		Value:    *x.Value,
		Low:      *x.Low,
		High:     *x.High,
		Interval: x.Interval,
		N:        x.N,
	}
	if e.Group == Overall {
		e.Group = ""
	}
	return e.Against(threshold), true
}

// Against is the same number held against another threshold.
func (e Evidence) Against(threshold float64) Evidence {
	e.Threshold = threshold
	e.Above = e.Low > threshold
	e.Below = e.High < threshold
	return e
}

// Mirrored is the share of the others, held against the same threshold.
func (e Evidence) Mirrored() Evidence {
	e.Value = 100 - e.Value
	e.Low, e.High = 100-e.High, 100-e.Low
	return e.Against(e.Threshold)
}

// ShareOf is k of n, in percent, held against a threshold. Where several belong together n is how many independent
// ones they are worth, and k the share of it.
func ShareOf(metric string, k, n, threshold float64) Evidence {
	units := int(math.Round(n))
	iv := stats.Blaker(int(math.Round(k)), units, 0.95)
	e := Evidence{Metric: metric, Value: 100 * k / n, Low: 100 * iv.Low, High: 100 * iv.High, Interval: ByBlaker, N: units}
	return e.Against(threshold)
}

// String is the value with its interval: "58 % [53, 63]".
func (e Evidence) String() string {
	if e.Unit != "" {
		return fmt.Sprintf("%.2f [%.2f, %.2f]", Unsigned(e.Value, 2), Unsigned(e.Low, 2), Unsigned(e.High, 2))
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", Unsigned(e.Value, 0), Unsigned(e.Low, 0), Unsigned(e.High, 0))
}

// Unsigned is a number that is to be printed with so many places: 0 in place of what would be printed as -0.
func Unsigned(x float64, places int) float64 {
	if math.Abs(x) <= 0.5*math.Pow10(-places) {
		return 0
	}
	return x
}

// Percentage is a share, in percent, as sentences say it: "58 %".
func Percentage(x float64) string { return fmt.Sprintf("%.0f %%", Unsigned(x, 0)) }

// Surely and SurelyNot tell whether the value is above the threshold, or below it, at 99 %, one-sided: what is said
// of a judge is held to more than an interval is.
func (e Evidence) Surely() bool    { return e.Value-(e.Value-e.Low)*strongly > e.Threshold }
func (e Evidence) SurelyNot() bool { return e.Value+(e.High-e.Value)*strongly < e.Threshold }

// Rank is the level of a judge that is better than chance, by the share of items it is right on in every order, and by
// whether its verdicts are reliable.
func (e Evidence) Rank(reliable bool) (Level, string) {
	switch strong := e.Against(StrongFrom); {
	case strong.Surely() && reliable:
		return Strong, CodeStrong
	case e.Low > UsableFrom && reliable:
		return Usable, CodeUsable
	}
	return Weak, CodeWeak
}

// Chance says how a judge stands beside chance: CodeInverted, CodeFew or CodeChance, or "" where it is better. e is
// held against chance; could is whether it may yet be a usable judge for all that is known.
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

// Diagnose says of a share of items that are right, held against chance, what it is worth. says are the sentences by
// the codes of Chance, "" of a judge that is better.
func (e Evidence) Diagnose(says map[string]string, of ...any) Diagnosis {
	from := float64(UsableFrom)
	if e.Threshold >= 50 { // one of two
		from = ReliableFrom
	}
	level, code := e.Chance(e.High >= from)
	text := says[code]
	if code == "" {
		level, code = e.Rank(e.Low > from)
	}
	return Diagnosis{Level: level, Code: code, Text: fmt.Sprintf(text, of...), Evidence: []Evidence{e}}
}

// WithoutVerdict is the share of judgments without a verdict.
const WithoutVerdict = "without-verdict"

// Verdictless is the share of judgments without a verdict; the zero Result where there is no judgment. Judgments of
// one item are no independent ones: the interval counts items.
func (r *Report) Verdictless() Result {
	n := r.Judgments()
	if n == 0 {
		return Result{}
	}
	units := float64(min(n, max(1, r.Items)))
	e := ShareOf(WithoutVerdict, float64(r.lost())/float64(n)*units, units, MostSilent)
	return Result{
		Metric:   WithoutVerdict,
		Group:    Overall,
		Value:    &e.Value,
		Low:      &e.Low,
		High:     &e.High,
		Interval: e.Interval,
		N:        n,
	}
}

// lost is how many judgments have no verdict.
func (r *Report) lost() int {
	return r.Judgments() - r.Outcomes[string(judging.Decided)] - r.Outcomes[string(judging.Tie)]
}

// Silence diagnoses a run of which too many judgments have no verdict: surely, or half of those that there are.
func (r *Report) Silence(noun string) (d Diagnosis, found bool) {
	e, ok := r.Verdictless().Held(MostSilent)
	lost := r.lost()
	level := Unusable
	switch {
	case !ok:
		return Unknowing(CodeNothing, "Nothing has been judged yet."), true
	case !e.Above && 2*lost < e.N:
		return d, false
	case !e.Above, 2*r.Outcomes[string(judging.Failed)] > lost && !r.imported(): // failed calls say nothing of the judge
		level = Unknown
	}
	text := fmt.Sprintf("%s without a verdict (%s)", oneIn(e.Value, noun, "is", "are"), e)
	if lost == e.N {
		text = fmt.Sprintf("No %s of %d has a verdict", noun, e.N)
	}
	first := "mend that before reading the rest"
	if 2*(r.Outcomes[string(judging.NoVerdict)]+r.Outcomes[string(judging.Conflict)]) > lost {
		first = "fix the prompt format first"
	}
	text += ": " + first + r.remedy(lost) + "."
	return Diagnosis{Level: level, Code: CodeSilent, Text: text, Evidence: []Evidence{e}}, true
}

// remedy is what to try where verdicts are missing, by what most of them are missing for.
func (r *Report) remedy(lost int) string {
	if 2*r.remarks.Repeating > lost && !r.imported() {
		return " (replies repeat themselves: " + r.remarks.endLoops + ")"
	}
	if 2*r.remarks.Unheld > lost {
		return " (the server ignores --constrain: leave it out)"
	}
	unread := r.unread(lost)
	remedies := map[judging.Outcome]string{
		judging.NoVerdict: unread,
		judging.Conflict:  unread,
		judging.Cut:       "replies were cut: try a larger --max-tokens",
		judging.TooLong:   "prompts did not fit: give the server a larger context",
		judging.Failed:    "calls failed: see gavel doctor",
		judging.Refused:   "the model refused: try another prompt",
	}
	if r.imported() { // nobody can ask again
		remedies[judging.Cut] = "replies were cut: --accept-cut counts a verdict before the cut"
		remedies[judging.TooLong], remedies[judging.Refused] = "", ""
		remedies[judging.Failed] = "the imported file lacks these replies"
	}
	for outcome, try := range remedies {
		if try != "" && 2*r.Outcomes[string(outcome)] > lost {
			return " (" + try + ")"
		}
	}
	return ""
}

// unread is what to try where replies have no label that is read.
func (r *Report) unread(lost int) string {
	held := r.manifest != nil && r.manifest.Spec.Parameters.Constrain
	switch {
	case !r.imported() && !held:
		return "try --constrain"
	case r.Reading == "" && 2*r.Otherwise > lost:
		return "try --reading robust"
	}
	return "read some of the replies: gavel serve shows them"
}

func (r *Report) imported() bool { return r.manifest != nil && r.manifest.Imported != "" }

// oneIn says a share, in percent, of a noun in words, and one of the forms of a verb after it: "One reply in five is".
func oneIn(percent float64, noun, singular, plural string) string {
	switch n := int(math.Round(100 / math.Max(percent, 1))); {
	case percent == 100:
		return fmt.Sprintf("Every %s %s", noun, singular)
	case percent >= 90:
		return fmt.Sprintf("Nearly every %s %s", noun, singular)
	case percent >= 70:
		return fmt.Sprintf("Three %ss in four %s", noun, plural)
	case percent > 60:
		return fmt.Sprintf("Two %ss in three %s", noun, plural)
	case n == 2:
		return fmt.Sprintf("Half of the %ss %s", noun, plural)
	default:
		return fmt.Sprintf("One %s in %s %s", noun, CountWord(n), singular)
	}
}

// OneIn is a share, in percent, in words that go on a sentence.
func OneIn(percent float64, noun, singular, plural string) string {
	s := oneIn(percent, noun, singular, plural)
	return strings.ToLower(s[:1]) + s[1:]
}
