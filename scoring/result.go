package scoring

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Result holds the value of one metric on one group of units, in percent or in Unit.
type Result struct {
	Metric string `json:"metric"` // key of the metric; glossary.md lists all metrics
	Group  string `json:"group"`  // name of the group: `overall`, a category, `agent: NAME` or `N options`
	// for single answers, the mode in which the judge was asked: `cot` (without a reference), `self` (with its own answer
	// as reference), or `difference`, which is self − cot
	Mode string `json:"mode,omitempty"`
	// unit of `value`: `score` (0 to 1), `correlation` (−1 to 1), `statistic` or `count`; left out for percent
	Unit  string   `json:"unit,omitempty"`
	Value *float64 `json:"value"` // value of the metric, in percent or in `unit`; null where undefined
	N     int      `json:"n"`     // units that the value is computed from
	// number of clusters that the units in `n` form, such as questions or templates
	Clusters       int      `json:"clusters,omitempty"`
	Low            *float64 `json:"low"`                // lower end of the 95 % interval of `value`
	High           *float64 `json:"high"`               // upper end of the 95 % interval of `value`
	IntervalMethod string   `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5
	MissingRule    string   `json:"missing"`            // how judgments without a verdict count, in words
	Note           string   `json:"note,omitempty"`     // why `value` is undefined or has no interval, or another remark
}

// Count returns n in words and, for clustered units, the number of clusters: "620 in 310".
func (r Result) CountText() string {
	if r.Clusters == 0 || r.Clusters == r.N {
		return strconv.Itoa(r.N)
	}
	return fmt.Sprintf("%d in %d", r.N, r.Clusters)
}

// Estimate holds a number with its interval. Low and High are null if there is no interval, for example if every pair
// counts the same.
type Estimate struct {
	Value *float64 `json:"value"` // the estimated number; null if undefined
	Low   *float64 `json:"low"`   // lower end of the 95 % interval of `value`
	High  *float64 `json:"high"`  // upper end of the 95 % interval of `value`

	IntervalMethod string `json:"interval,omitempty"` // method of the interval, see PROTOCOLS.md §5
}

func (r Result) estimate() Estimate {
	return Estimate{Value: r.Value, Low: r.Low, High: r.High, IntervalMethod: r.IntervalMethod}
}

// HasInterval reports whether the result has a value with an interval.
func (r Result) HasInterval() bool { return r.Value != nil && r.Low != nil && r.High != nil }

// WithoutValue returns a copy of the result without a value, with why as the reason in its note.
func (r Result) WithoutValue(why string) Result {
	r.Value = nil
	r.Low = nil
	r.High = nil
	r.IntervalMethod = ""
	r.Note = "undefined: " + why
	return r
}

// convertToUnit converts a share to percent if unit is "" (percent) and leaves other values. It rounds them so that the
// result does not depend on how a processor fuses multiplications.
func convertToUnit(unit string, x float64) *float64 {
	if unit == "" {
		return Percent(x)
	}
	return RoundFraction(x)
}

// valueText returns the value as warnings show it: with two decimals, or four if it is not a percentage.
func (x Result) valueText() string {
	switch {
	case x.Value == nil:
		return "n/a"
	case x.Unit == "":
		return fmt.Sprintf("%.2f", *x.Value)
	}
	return fmt.Sprintf("%.4f", *x.Value)
}

// RoundToTwelveDigits rounds p to twelve significant digits, which are equal on all processors; nil for NaN.
func RoundToTwelveDigits(p float64) *float64 {
	if math.IsNaN(p) {
		return nil
	}
	p, _ = strconv.ParseFloat(strconv.FormatFloat(p, 'g', 12, 64), 64)
	return &p
}

// Percent returns a share in percent, and Fraction a number as it is. Both round so that the bytes do not depend on how
// a processor fuses multiplications, and return nil for NaN and infinity.
func Percent(x float64) *float64       { return rounded(100*x, 4) }
func RoundFraction(x float64) *float64 { return rounded(x, 6) }

// rounded rounds x to so many decimals, but keeps four more if the rounded number would be printed differently: 51 of
// 101 is printed as 50.50, but 50.4950 would become 50.49. Values are printed with two decimals less than places, the
// ends of intervals with three less.
func rounded(x float64, places int) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	to := func(places int) float64 { return math.Round(x*math.Pow10(places)) / math.Pow10(places) }
	print := func(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }
	y := to(places)
	if print(x, places-2) != print(y, places-2) || print(x, places-3) != print(y, places-3) {
		y = to(places + 4)
	}
	if y == 0 {
		y = 0 // never −0
	}
	return &y
}

// Indicator returns 1 for true and 0 for false.
func Indicator(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}

// Values of Result.Unit: units other than percent.
const (
	UnitScore       = "score"       // from 0 to 1, as in the metric's publication
	UnitCorrelation = "correlation" // from −1 to 1
	UnitStatistic   = "statistic"   // of a test, such as χ², without bounds
	UnitCount       = "count"       // number of things
)

// countWords holds the numbers from 2 to 10 as words, by number.
var countWords = []string{2: "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// NumberWord returns a number from 2 to 10 as a word, others in digits.
func NumberWord(n int) string {
	if n >= 2 && n < len(countWords) {
		return countWords[n]
	}
	return strconv.Itoa(n)
}

// QuoteName returns a name as a sentence shows it: in quotes if it has a comma or a colon.
func QuoteName(name string) string {
	if strings.ContainsAny(name, ",:") {
		return "“" + name + "”"
	}
	return name
}

// Overall is the name of the group of all units.
const Overall = "overall"

// ModeDifference is the mode of a difference between two modes, on the judgments that both have.
const ModeDifference = "difference"
