package scoring

import (
	"fmt"
	"slices"
	"strings"

	"gavel/scoring/stats"
)

// Sway is what goes with a judge's verdicts beside what is right: its causes, and what is left when they are equal.
type Sway struct {
	Run       string  `json:"run,omitempty"` // the folder, as it was given
	Says      string  `json:"says"`          // the answer in a sentence or two
	Judge     string  `json:"judge"`         // the model
	Dataset   string  `json:"dataset"`       // its name
	Pairs     int     `json:"pairs"`         // with a label and both texts
	Judgments int     `json:"judgments"`     // of these pairs, that name a response
	Causes    []Cause `json:"causes"`        // the place first, then by how much they sway
	// how many of the pairs are correct in both orders, which the rules are held against
	Strict Proportion `json:"right_in_both_orders"`
	// how often one verdict is right, in percent; null where nothing could be fitted
	Right *float64 `json:"right"`
	// how often it would be were all causes equal, the place by halves; null where nothing could be fitted
	Level *Proportion `json:"right_where_equal"`
	Why   string      `json:"why,omitempty"` // nothing could be fitted
	// why it cannot be told whether the judge prefers what it wrote itself; left out where that is a cause
	Itself string `json:"itself,omitempty"`
	Rules  []Rule `json:"rules"` // that do not read
}

// Cause is something that one response has more of than the other.
type Cause struct {
	Name  string     `json:"name"`             // the place, length, Markdown, …
	About string     `json:"about"`            // how it is counted
	Pairs int        `json:"pairs"`            // in which one response has more of it
	Named Proportion `json:"named"`            // verdicts that name the response with more
	More  Proportion `json:"right_where_more"` // pairs correct in both orders whose better response has more
	Less  Proportion `json:"right_where_less"` // pairs correct in both orders whose better response has less
	// what one standard deviation more does to the odds of being named, in a logistic regression on what is right and
	// on all causes; null where none could be fitted. Of the place it is what being shown first does.
	Odds *Odds `json:"odds"`
}

// ProportionOf counts how many are so, and of how many, of each unit or of what belongs together.
func ProportionOf(counts [][2]int, b stats.Bootstrap) Proportion {
	e, n := MeanOf(counts, 0, b)
	return Proportion{Value: e.Value, Low: e.Low, High: e.High, N: n}
}

// MeanOf returns the mean of scores, in percent, and their number. Each unit or cluster has the sum of its scores and
// their number. A score is 1, 0 or, if least is −1, −1. The interval has a closed form if each unit has one score;
// otherwise the units are resampled.
func MeanOf(scores [][2]int, least float64, b stats.Bootstrap) (e Estimate, n int) {
	var rows stats.Rows
	more, less := 0, 0
	alone := true
	for _, c := range scores {
		rows.Add([]float64{float64(c[0]), float64(c[1])})
		more += max(0, c[0])
		less += max(0, -c[0])
		n += c[1]
		alone = alone && c[1] == 1
	}
	if n == 0 {
		return e, 0
	}
	var in stats.Interval
	switch {
	case !alone:
		e.Interval = ByBootstrap
		ends := &stats.Beside{
			Low:  []stats.Extra{{Columns: []int{0, 1}, Values: []float64{least, 1}}},
			High: []stats.Extra{{Columns: []int{0, 1}, Values: []float64{1, 1}}},
			Mass: half,
		}
		mean := func(sums []float64) float64 { return sums[0] / sums[1] }
		in = b.Smoothed(&rows, []stats.Statistic{{Of: mean, Beside: ends}})[0]
	case least == 0:
		e.Interval = ByBlaker
		in = stats.Blaker(more, n, b.Level)
	default:
		e.Interval = ByPairs
		in = stats.Paired(float64(more), float64(less), float64(n), b.Level)
	}
	e.Value = Percent(float64(more-less) / float64(n))
	e.Low = Percent(in.Low)
	e.High = Percent(in.High)
	return e, n
}

// picks are the responses that rules name, and the others.
var picks = map[string][2]string{
	"the longer":    {"the longer response", "the shorter one"},
	"the shorter":   {"the shorter response", "the longer one"},
	"more Markdown": {"the response with more Markdown", "the one with less"},
	"less Markdown": {"the response with less Markdown", "the one with more"},
}

// Decider returns the rule that decides the verdicts; nil if none does. By 95 % intervals, three quarters of the
// verdicts name what the rule names, which is more than the labels do, and where it is wrong the judge is right on less
// than half of the pairs, and on fewer than over all, of which strict is the lower end.
func Decider(rules []Rule, strict *float64) (found *Rule) {
	for i, x := range rules {
		if strict == nil || x.Named == nil || x.Named.Low == nil || x.Against.High == nil {
			continue
		}
		if *x.Named.Low >= max(MostByPlace, x.Value) && *x.Against.High < min(50, *strict) &&
			(found == nil || *x.Named.Value > *found.Named.Value) {
			found = &rules[i]
		}
	}
	return found
}

// Decides says that the rule decides the verdicts.
func (r Rule) Decides() string {
	return fmt.Sprintf("The judge picks %s in %.0f %% of verdicts. When %s is correct, its accuracy is %.0f %%.",
		picks[r.Name][0], *r.Named.Value, picks[r.Name][1], *r.Against.Value)
}

// Best is the best rule that does not read.
func (s Sway) Best() (best Rule) {
	for _, r := range s.Rules {
		if r.Value > best.Value {
			best = r
		}
	}
	return best
}

// swayed says by what.
func (s Sway) swayed() string {
	decides := ""
	rule := Decider(s.Rules, s.Strict.Low)
	if rule != nil {
		decides = rule.Decides() + " "
	}
	if s.Why != "" {
		return decides + s.Why
	}
	if len(s.Causes) > 0 && s.Causes[0].Odds == nil {
		decides += "The position is left out: no verdict changes with it. "
	}
	var names []string
	for _, c := range s.Causes {
		if c.Sways() {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return decides + fmt.Sprintf("Nothing that was looked at sways it beyond chance on %d pairs.", s.Pairs)
	}
	words := decides + fmt.Sprintf("Swayed by %s.", strings.Join(names, ", "))
	at := slices.IndexFunc(s.Causes, func(c Cause) bool {
		return c.Sways() && c.More.Value != nil && c.Less.Value != nil && c.Named.Value != nil
	})
	if at < 0 || rule != nil {
		return words
	}
	c := s.Causes[at]
	to := "the response with more " + c.Name
	better := "has more"
	switch c.Name {
	case Length:
		to = "the longer response"
		better = "is the longer"
	case Itself:
		to = "the response of its own family"
		better = "is of its own family"
	}
	named := *c.Named.Value
	right := c.More
	other := c.Less
	if c.Odds.Ratio < 1 { // what the share of verdicts says may be what is right
		less := strings.NewReplacer("more", "less", "longer", "shorter", "its own family", "another family")
		to = less.Replace(to)
		better = less.Replace(better)
		named = 100 - named
		right = c.Less
		other = c.More
	}
	return words + fmt.Sprintf(" It leans to %s, which %.0f %% of its verdicts name: correct in both orders on %.0f %% "+
		"of the pairs whose better response %s, on %.0f %% of the others.", to, named, *right.Value, better, *other.Value)
}

// Names of causes that have words of their own.
const (
	Length = "length"
	Itself = "itself"
)

// Sways reports whether a cause has a significant effect on the verdicts.
func (c Cause) Sways() bool { return c.Odds != nil && c.Odds.P < Apart }

// Answer says in a sentence which causes sway the judge, and whether a baseline does as well.
func (s Sway) Answer() string {
	words := s.swayed()
	if rule := s.Best(); s.Strict.Value != nil && *s.Strict.Value <= rule.Value {
		words += fmt.Sprintf(" A rule that does not read does no worse: “%s” is correct in both orders on %.0f %% "+
			"of the pairs, the judge on %.0f %%.", rule.Name, rule.Value, *s.Strict.Value)
	}
	return words
}
