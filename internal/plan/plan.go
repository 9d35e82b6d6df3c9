// Package plan says how many pairs it takes to tell two judges apart, and what so many pairs tell: a document for text,
// Markdown, CSV and JSON over the power analysis of scoring/stats.
package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring/stats"
)

// SampleSizes holds the questions and answers of `gavel plan`.
type SampleSizes struct {
	Says          string   `json:"says"`       // the answer in a sentence or two
	Discordant    float64  `json:"discordant"` // percent
	Power         float64  `json:"power"`      // percent
	Alpha         float64  `json:"alpha"`
	Detect        *float64 `json:"detect,omitempty"`        // points
	PairsToDetect *int     `json:"pairs_to_tell,omitempty"` // that a difference of so many points takes
	// that it takes to find judges that are the same within as many points to be so
	PairsToEquate *int     `json:"pairs_to_equate,omitempty"`
	Pairs         *int     `json:"pairs,omitempty"`
	Detectable    *float64 `json:"tells,omitempty"` // points that so many pairs tell; none where they tell no difference
}

// Compute computes the number of pairs that detect a difference of Detect points, and the difference that Pairs detect.
// The error names the flag whose value is out of range.
func (p *SampleSizes) Compute() error {
	psi, power := p.Discordant/100, p.Power/100
	switch {
	case !(psi > 0 && psi <= 1):
		return fmt.Errorf("--discordant %v: expected a percentage above 0 and at most 100", p.Discordant)
	case !(power > 0 && power < 1):
		return fmt.Errorf("--power %v: expected a percentage between 0 and 100", p.Power)
	case !(p.Alpha > 0 && p.Alpha < 1):
		return fmt.Errorf("--alpha %v: expected a probability between 0 and 1", p.Alpha)
	case p.Detect != nil && !(*p.Detect > 0 && *p.Detect <= p.Discordant):
		return fmt.Errorf("--detect %v: expected points above 0 and at most the %v of --discordant: "+
			"judges cannot differ by more than the pairs on which exactly one is right", *p.Detect, p.Discordant)
	case p.Pairs != nil && *p.Pairs < 1:
		return fmt.Errorf("--pairs %d: it must be at least 1", *p.Pairs)
	}
	if p.Detect != nil {
		whole := func(n float64) *int { return new(int(math.Min(math.Ceil(n), math.MaxInt32))) }
		p.PairsToDetect = whole(stats.PairsToDetect(*p.Detect/100, psi, p.Alpha, power))
		p.PairsToEquate = whole(stats.PairsToEquate(*p.Detect/100, psi, p.Alpha, power))
	}
	if p.Pairs != nil {
		if tells := 100 * stats.DetectableDifference(*p.Pairs, psi, p.Alpha, power); !math.IsNaN(tells) {
			p.Detectable = new(math.Round(tells*1e4) / 1e4)
		}
	}
	p.Says = p.answer()
	return nil
}

// answer returns the sentences on the pairs needed, and on the difference that the pairs tell.
func (p *SampleSizes) answer() string {
	var sentences []string
	if p.PairsToDetect != nil {
		pairs := humanize.Comma(int64(*p.PairsToDetect))
		sentences = append(sentences, phrases.Say("plan.says-pairs", pairs, table.Decimal(*p.Detect)))
	}
	if p.Pairs != nil {
		verb := "detect"
		if *p.Pairs == 1 {
			verb = "detects"
		}
		difference := phrases.Say("plan.says-none")
		if p.Detectable != nil {
			difference = phrases.Say("plan.says-points", table.Fixed(p.Detectable, 1))
		}
		sentences = append(sentences, phrases.Say("plan.says", table.Count(*p.Pairs, "pair"), verb, difference))
	}
	return strings.Join(sentences, " ")
}

// Document returns the questions and their answers.
func (p *SampleSizes) Document() doc.Document {
	t := &doc.Table{
		RowHead: phrases.Say("plan.discordant", table.Decimal(p.Discordant)),
		Columns: doc.Columns(doc.Whole, phrases.Say("plan.power", table.Decimal(p.Power))),
	}
	sheet := [][]string{{"question", "answer", "discordant", "power", "alpha"}}
	add := func(question, answer string) {
		t.Add(doc.WordRow(question, answer))
		row := []string{question, answer}
		for _, x := range []float64{p.Discordant, p.Power, p.Alpha} {
			row = append(row, table.Decimal(x))
		}
		sheet = append(sheet, row)
	}
	if p.Detect != nil {
		add(phrases.Say("plan.to-tell", table.Decimal(*p.Detect)), strconv.Itoa(*p.PairsToDetect))
		add(phrases.Say("plan.to-equate", table.Decimal(*p.Detect)), strconv.Itoa(*p.PairsToEquate))
	}
	if p.Pairs != nil {
		answer := "none"
		if p.Detectable != nil {
			answer = table.Fixed(p.Detectable, 1)
		}
		add(phrases.Say("plan.tells", *p.Pairs), answer)
	}
	b := doc.Block{Table: t}
	b.Remark("plan.tests", table.Decimal(p.Alpha))
	b.Remark("plan.about-discordant")
	return doc.Document{Answer: p.Says, Blocks: []doc.Block{b}, Sheet: sheet}
}
