package scoring

import (
	"cmp"
	"fmt"
	"math"

	"gavel/internal/phrases"
	"gavel/scoring/stats"
)

// UsabilityLevel grades how far a judge can be used.
type UsabilityLevel string

// The levels of a judge, the worst first, after Unknown: the run is too small to tell.
const (
	LevelUnknown  UsabilityLevel = "unknown"
	LevelUnusable UsabilityLevel = "unusable" // gives no verdicts, follows the position, or is no better than chance
	LevelWeak     UsabilityLevel = "weak"     // better than chance, but no more
	// reliable where consistent, and correct in every order on significantly more than half of the items
	LevelUsable UsabilityLevel = "usable"
	// reliable, and correct in every order on significantly more than 75 % of the items
	LevelStrong UsabilityLevel = "strong"
)

// Diagnosis states how far a judge can be used on the items of a run. The rules use the ends of intervals, not the
// point estimates: see docs/diagnosis.md.
type Diagnosis struct {
	// how far the judge can be used: `unknown`, `unusable`, `weak`, `usable` or `strong`
	Level    UsabilityLevel `json:"level"`
	Code     string         `json:"code"`     // code of the rule that applies, see diagnosis.md
	Text     string         `json:"text"`     // one or two sentences: what to do with the judge
	Evidence []Evidence     `json:"evidence"` // the numbers behind the level

	Also string `json:"-"` // further remarks on the judge, in sentences
}

// Evidence holds a number that a diagnosis uses, with its interval, and its comparison with a threshold.
type Evidence struct {
	Metric         string  `json:"metric"`             // key of the metric, as in `results`
	Group          string  `json:"group,omitempty"`    // name of the group of units; left out for all units
	Mode           string  `json:"mode,omitempty"`     // the mode in which the judge was asked, as in `results`
	Unit           string  `json:"unit,omitempty"`     // unit of `value`, if not percent
	Value          float64 `json:"value"`              // the metric's value, in percent or in `unit`
	Low            float64 `json:"low"`                // lower end of the 95 % interval of `value`
	High           float64 `json:"high"`               // upper end of the 95 % interval of `value`
	IntervalMethod string  `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5
	N              int     `json:"n"`                  // units that `value` is computed from
	// number with which the rule of the diagnosis compares the interval from `low` to `high`
	Threshold      float64 `json:"threshold"`
	AboveThreshold bool    `json:"above,omitempty"` // the interval lies above `threshold`
	BelowThreshold bool    `json:"below,omitempty"` // the interval lies below `threshold`
}

// Codes of the rules of a diagnosis that several protocols share.
const (
	CodeNoItems     = "nothing"  // no item is complete
	CodeNoVerdicts  = "silent"   // too many judgments have no verdict
	CodePosition    = "position" // the verdict follows the position
	CodeOneLabel    = "label"    // the verdict is always the same label
	CodeTies        = "ties"     // most verdicts are ties
	CodeInverted    = "inverted" // worse than chance
	CodeChance      = "chance"   // no better than chance
	CodeTooFewItems = "few"      // too few items to tell the judge from chance
	CodeWeakJudge   = "weak"     // better than chance, but no more
	CodeUsableJudge = "usable"   // reliable where consistent, and correct in every order on more than half of the items
	CodeStrongJudge = "strong"   // reliable, and correct in every order on more than 75 % of the items
)

// Thresholds with which the rules of a diagnosis compare intervals. docs/diagnosis.md gives the reasons.
const (
	MaxNoVerdictPercent   = 10 // largest tolerated percentage of judgments without a verdict
	MaxOnePositionPercent = 75 // largest tolerated percentage of verdicts that name one position
	MaxOneLabelPercent    = 95 // largest tolerated percentage of verdicts that are one label
	MaxTiesPercent        = 50 // largest tolerated percentage of verdicts that are ties
	UsableFrom            = 50 // smallest percentage of items correct in every order for the level Usable
	StrongFrom            = 75 // smallest percentage of items correct in every order for the level Strong
	// smallest percentage of consistent verdicts that must be correct for the levels above Weak, with two candidates: a
	// third of the way from chance to perfect
	LeastConsistentAccuracy = 200.0 / 3
	// percentages of pairs on which both orders must agree for one order to be enough: the value must exceed
	// MinConsistentPercent, and the lower end of its interval MinConsistentLowerPercent
	MinConsistentPercent      = 98
	MinConsistentLowerPercent = 90
)

// oneSided99WidthRatio is the quotient of the normal quantiles of .99 and .975: the distance from the value to the end
// of a one-sided 99 % interval over the distance to the end of a 95 % interval.
const oneSided99WidthRatio = 2.3263 / 1.95996

// CompareWithThreshold compares the interval of a result with a threshold. ok is false if the result has no interval.
func (x Result) CompareWithThreshold(threshold float64) (e Evidence, ok bool) {
	if !x.HasInterval() {
		return Evidence{}, false
	}
	e = Evidence{
		Metric:         x.Metric,
		Group:          x.Group,
		Mode:           x.Mode,
		Unit:           x.Unit,
		Value:          *x.Value,
		Low:            *x.Low,
		High:           *x.High,
		IntervalMethod: x.IntervalMethod,
		N:              x.N,
	}
	if e.Group == Overall {
		e.Group = ""
	}
	return e.CompareWith(threshold), true
}

// CompareWith returns a copy of the evidence, compared with another threshold.
func (e Evidence) CompareWith(threshold float64) Evidence {
	e.Threshold = threshold
	e.AboveThreshold = e.Low > threshold
	e.BelowThreshold = e.High < threshold
	return e
}

// Complement returns the evidence for 100 % minus the share, compared with the same threshold.
func (e Evidence) Complement() Evidence {
	e.Value = 100 - e.Value
	e.Low, e.High = 100-e.High, 100-e.Low
	return e.CompareWith(e.Threshold)
}

// ShareEvidence returns k of n units as a percentage with its interval, compared with a threshold. For clustered items
// n is the effective sample size, and k the same share of it.
func ShareEvidence(metric string, k, n, threshold float64) Evidence {
	units := int(math.Round(n))
	iv := stats.Blaker(int(math.Round(k)), units, 0.95)
	e := Evidence{
		Metric:         metric,
		Value:          100 * k / n,
		Low:            100 * iv.Low,
		High:           100 * iv.High,
		IntervalMethod: IntervalByBlaker,
		N:              units,
	}
	return e.CompareWith(threshold)
}

// String returns the value with its interval: "58 % [53, 63]", or two decimals for other units than percent.
func (e Evidence) String() string {
	format, places := "%.0f %% [%.0f, %.0f]", 0
	if e.Unit != "" {
		format, places = "%.2f [%.2f, %.2f]", 2
	}
	number := func(x float64) float64 { return WithoutNegativeZero(x, places) }
	return fmt.Sprintf(format, number(e.Value), number(e.Low), number(e.High))
}

// WithoutNegativeZero returns x, or 0 if x would be printed as 0 or -0 with this number of decimals.
func WithoutNegativeZero(x float64, places int) float64 {
	if math.Abs(x) <= 0.5*math.Pow10(-places) {
		return 0
	}
	return x
}

// Percentage returns a share, in percent, as sentences show it: "58 %".
func Percentage(x float64) string { return fmt.Sprintf("%.0f %%", WithoutNegativeZero(x, 0)) }

// IsAboveAt99Percent and IsBelowAt99Percent report whether the value is above or below the threshold in a one-sided
// test at 99 %. A diagnosis of a judge tests more strictly than the 95 % intervals that are printed.
func (e Evidence) IsAboveAt99Percent() bool {
	return e.Value-(e.Value-e.Low)*oneSided99WidthRatio > e.Threshold
}
func (e Evidence) IsBelowAt99Percent() bool {
	return e.Value+(e.High-e.Value)*oneSided99WidthRatio < e.Threshold
}

// LevelAboveChance returns the level of a judge that is better than chance, and the code of the rule. e holds the share
// of items correct in every order; reliable reports whether the verdicts can be relied on.
func (e Evidence) LevelAboveChance(reliable bool) (UsabilityLevel, string) {
	switch strong := e.CompareWith(StrongFrom); {
	case strong.IsAboveAt99Percent() && reliable:
		return LevelStrong, CodeStrongJudge
	case e.Low > UsableFrom && reliable:
		return LevelUsable, CodeUsableJudge
	}
	return LevelWeak, CodeWeakJudge
}

// CompareWithChance compares a judge with chance, the threshold of e. It returns a level with CodeInverted,
// CodeTooFewItems or CodeChance, or two empty strings for a judge that is better. could reports whether more items may
// show that the judge is usable.
func (e Evidence) CompareWithChance(could bool) (UsabilityLevel, string) {
	switch {
	case e.IsBelowAt99Percent():
		return LevelUnusable, CodeInverted
	case e.IsAboveAt99Percent():
		return "", ""
	case could:
		return LevelUnknown, CodeTooFewItems
	}
	return LevelUnusable, CodeChance
}

// DiagnoseUnusableJudge diagnoses a judge whose verdicts follow something other than the content, such as the position.
// e holds the share of these verdicts; above reports whether it exceeds the threshold.
func (e Evidence) DiagnoseUnusableJudge(code, text string) (d Diagnosis, above bool) {
	return Diagnosis{Level: LevelUnusable, Code: code, Text: text, Evidence: []Evidence{e}}, e.AboveThreshold
}

// Diagnose diagnoses a judge by its share of correct items, compared with chance. The sentence is the phrase whose
// code is prefix followed by a code of [Evidence.CompareWithChance], or by "better"; args are the phrase's arguments.
func (e Evidence) Diagnose(prefix string, args ...any) Diagnosis {
	from := float64(UsableFrom)
	if e.Threshold >= 50 { // one of two
		from = LeastConsistentAccuracy
	}
	level, code := e.CompareWithChance(e.High >= from)
	phrase := prefix + cmp.Or(code, "better")
	if code == "" {
		level, code = e.LevelAboveChance(e.Low > from)
	}
	return Diagnosis{Level: level, Code: code, Text: phrases.Sentence(phrase, args...), Evidence: []Evidence{e}}
}
