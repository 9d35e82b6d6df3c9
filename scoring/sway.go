package scoring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Responses hands over the candidates of each item, in the order of their ids.
type Responses func(use func(id string, of []judging.Response)) error

// Swayer is a scorer whose runs tell what sways the judge: it counts what the texts of the items have, which no record
// has. clusterOf says which items belong together; nil where each stands for itself. The result is nil where the run
// asks something else.
type Swayer interface {
	Sway(responses Responses, clusterOf func(id string) string, b stats.Bootstrap) (*Sway, error)
}

// Sway is what sways the judge of a run, of its items' texts; nil where nobody can tell.
func (run *Run) Sway(b stats.Bootstrap) (*Sway, error) {
	s, ok := run.scorer.(Swayer)
	if !ok {
		return nil, nil
	}
	out, err := s.Sway(run.responses, run.cluster, b)
	if out != nil {
		out.Says = out.Answer()
		if run.Manifest.DrawnBy != nil {
			out.Says += " But " + LookedAt + "."
		}
		out.Run = run.Dir
		out.Judge = run.Manifest.Spec.Model.Name
		out.Dataset = run.Manifest.Dataset.Name
	}
	return out, err
}

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

// Proportion is one of some units, in percent, with its interval; null where there are none.
type Proportion struct {
	Value *float64 `json:"value"` // percent
	Low   *float64 `json:"low"`   // of its interval
	High  *float64 `json:"high"`  // as low
	N     int      `json:"n"`     // units
}

// ProportionOf counts how many are so, and of how many, of each unit or of what belongs together.
func ProportionOf(counts [][2]int, b stats.Bootstrap) Proportion {
	e, n := MeanOf(counts, 0, b)
	return Proportion{Value: e.Value, Low: e.Low, High: e.High, N: n}
}

// MeanOf returns the mean of scores, in percent, and how many there are: a unit, or what belongs together, has the sum
// of its scores, which are 1, 0 or, where least is −1, that, and their number. The interval is in closed form where each
// has one score; else they are resampled.
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

// Odds are a ratio with its interval, and p by Student's t, corrected by Holm for all causes.
type Odds struct {
	Ratio float64 `json:"ratio"` // 1 changes nothing
	Low   float64 `json:"low"`   // of its interval
	High  float64 `json:"high"`  // as low
	P     float64 `json:"p"`     // corrected
}

// Rule names responses without reading them.
type Rule struct {
	Name  string   `json:"name"`           // what it names
	Value float64  `json:"value"`          // percent of the pairs that it is right on in both orders
	Low   *float64 `json:"low,omitempty"`  // of its interval; none of a rule that no pair can tell from another
	High  *float64 `json:"high,omitempty"` // as low
	// pairs, or where they belong together clusters of them, on which the judge is right more often, and the rule
	OnlyJudge int `json:"only_judge,omitempty"`
	OnlyRule  int `json:"only_rule,omitempty"` // as only_judge
	// of McNemar's exact test of the two
	P *float64 `json:"p,omitempty"`

	Named   *Proportion `json:"named,omitempty"`         // verdicts that name what the rule names
	Against *Proportion `json:"right_against,omitempty"` // pairs correct in both orders whose better response is the other
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

// Ruler is a scorer whose runs are held against rules that do not read; none where the run asks something else.
type Ruler interface {
	Rules(responses Responses, clusterOf func(id string) string, b stats.Bootstrap) ([]Rule, error)
}

// responses hands over those to the items: none where they are not in the run's folder.
func (run *Run) responses(use func(id string, of []judging.Response)) error {
	items := run.items
	if items == nil {
		items = run.inFolder
	}
	err := items(use)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (run *Run) inFolder(use func(id string, of []judging.Response)) error {
	in, err := os.Open(filepath.Join(run.folder, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer in.Close()
	return judging.EachResponse(run.Manifest, in, use)
}

// rules are those that the run is held against; none where the items cannot be read.
func (run *Run) rules(b stats.Bootstrap) []Rule {
	s, ok := run.scorer.(Ruler)
	if !ok || run.items == nil && run.folder == "" {
		return nil
	}
	rules, err := s.Rules(run.responses, run.cluster, b)
	if err != nil {
		return nil
	}
	return rules
}

// Result is the share as one of a metric.
func (x Proportion) Result() Result { return Result{Value: x.Value, Low: x.Low, High: x.High, N: x.N} }

// Sways tells whether a cause sways the judge beyond chance.
func (c Cause) Sways() bool { return c.Odds != nil && c.Odds.P < Apart }

// Answer is what sways the judge, and whether a rule that does not read does as well.
func (s Sway) Answer() string {
	words := s.swayed()
	if rule := s.Best(); s.Strict.Value != nil && *s.Strict.Value <= rule.Value {
		words += fmt.Sprintf(" A rule that does not read does no worse: “%s” is correct in both orders on %.0f %% "+
			"of the pairs, the judge on %.0f %%.", rule.Name, rule.Value, *s.Strict.Value)
	}
	return words
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
