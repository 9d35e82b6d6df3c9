package scoring

import (
	"fmt"
	"slices"
	"strings"
)

// Sway is what goes with a judge's verdicts beside what is right: its causes, and what is left when they are equal.
type Sway struct {
	Run       string  `json:"run,omitempty"` // the folder, as it was given
	Judge     string  `json:"judge"`         // the model
	Dataset   string  `json:"dataset"`
	Pairs     int     `json:"pairs"`     // with a label, both texts and a verdict that names one
	Judgments int     `json:"judgments"` // of these pairs, that name a response
	Causes    []Cause `json:"causes"`    // the place first, then by how much they sway
	// Right is how often one verdict is right, in percent, and Level how often it would be were all causes equal, the
	// place by halves; null where nothing could be fitted
	Right *float64    `json:"right"`
	Level *Proportion `json:"right_where_equal"`
	Why   string      `json:"why,omitempty"` // nothing could be fitted
	// Rules are how many of the pairs are right in both orders by rules that do not read, in percent
	Rules []Rule `json:"rules"`
}

// Cause is something that one response has more of than the other.
type Cause struct {
	Name  string     `json:"name"`
	About string     `json:"about"` // how it is counted
	Pairs int        `json:"pairs"` // in which one response has more of it
	Named Proportion `json:"named"` // verdicts that name the response with more
	// pairs judged right in both orders where the better response has more of it, and where it has less
	More Proportion `json:"right_where_more"`
	Less Proportion `json:"right_where_less"`
	// what one standard deviation more does to the odds of being named, in a logistic regression on what is right and
	// on all causes; null where none could be fitted. Of the place it is what being shown first does.
	Odds *Odds `json:"odds"`
}

// Proportion is one of some units, in percent, with its interval; null where there are none.
type Proportion struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n"`
}

// Odds are a ratio with its interval, and p of Wald's test, corrected by Holm for all causes.
type Odds struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	P     float64 `json:"p"`
}

// Rule names responses without reading them.
type Rule struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // percent of the pairs
}

// Sways tells whether a cause sways the judge beyond chance.
func (c Cause) Sways() bool { return c.Odds != nil && c.Odds.P < apart }

// Says is what sways the judge.
func (s Sway) Says() string {
	if s.Why != "" {
		return s.Why
	}
	var names []string
	for _, c := range s.Causes {
		if c.Sways() {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return fmt.Sprintf("Nothing that was looked at sways it beyond chance on %d pairs.", s.Pairs)
	}
	words := fmt.Sprintf("Swayed by %s.", strings.Join(names, ", "))
	at := slices.IndexFunc(s.Causes, func(c Cause) bool {
		return c.Sways() && c.More.Value != nil && c.Less.Value != nil && c.Named.Value != nil
	})
	if at < 0 {
		return words
	}
	c := s.Causes[at]
	named, right, other := *c.Named.Value, *c.More.Value, *c.Less.Value
	more, better := "the response with more "+c.Name, "has more"
	if c.Name == Length {
		more, better = "the longer response", "is the longer"
	}
	if named < 50 {
		named = 100 - named
		right, other = other, right
		more = strings.NewReplacer("more", "less", "longer", "shorter").Replace(more)
		better = strings.NewReplacer("more", "less", "longer", "shorter").Replace(better)
	}
	return words + fmt.Sprintf(" It names %s in %.0f %% of verdicts: right in both orders on %.0f %% of the pairs whose "+
		"better response %s, on %.0f %% of the others.", more, named, right, better, other)
}

// Length is the name of a cause that has words of its own.
const Length = "length"
