// Package plan computes how many pairs are needed to find a difference between two judges significant, and which
// difference a number of pairs detects: a document for text, Markdown, CSV and JSON over the power analysis of
// scoring/stats.
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
	Says       string   `json:"says"`             // the answers in a sentence or two
	Discordant float64  `json:"discordant"`       // percent of the pairs on which exactly one judge is right, as assumed
	Power      float64  `json:"power"`            // probability of detecting the difference, in percent
	Alpha      float64  `json:"alpha"`            // significance level of the test, 0 to 1
	Detect     *float64 `json:"detect,omitempty"` // difference between two judges to detect, in percentage points
	// pairs with which McNemar's test detects a difference of `detect` points
	PairsToDetect *int `json:"pairs_to_tell,omitempty"`
	// pairs with which tests show that two equally good judges differ by less than `detect` points
	PairsForEquivalence *int `json:"pairs_to_equate,omitempty"`
	PairsAtHand         *int `json:"pairs,omitempty"` // number of pairs at hand, for which `tells` is computed
	// smallest difference, in points, that `pairs` pairs detect; left out if they detect none
	Detectable *float64 `json:"tells,omitempty"`
}

// Compute computes the number of pairs that detect a difference of Detect points, and the smallest difference that
// Pairs pairs detect. Its error names the flag whose value is out of range.
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
	case p.PairsAtHand != nil && *p.PairsAtHand < 1:
		return fmt.Errorf("--pairs %d: it must be at least 1", *p.PairsAtHand)
	}
	if p.Detect != nil {
		whole := func(n float64) *int { return new(int(min(math.Ceil(n), math.MaxInt32))) }
		p.PairsToDetect = whole(stats.PairsToDetect(*p.Detect/100, psi, p.Alpha, power))
		p.PairsForEquivalence = whole(stats.PairsToEquate(*p.Detect/100, psi, p.Alpha, power))
	}
	if p.PairsAtHand != nil {
		if tells := 100 * stats.DetectableDifference(*p.PairsAtHand, psi, p.Alpha, power); !math.IsNaN(tells) {
			p.Detectable = new(math.Round(tells*1e4) / 1e4)
		}
	}
	p.Says = p.answer()
	return nil
}

// answer returns the sentences on the number of pairs needed, and on the difference that a number of pairs detects.
func (p *SampleSizes) answer() string {
	var sentences []string
	if p.PairsToDetect != nil {
		pairs := humanize.Comma(int64(*p.PairsToDetect))
		sentences = append(sentences, phrases.Sentence("plan.says-pairs", pairs, table.Decimal(*p.Detect)))
	}
	if p.PairsAtHand != nil {
		verb := "detect"
		if *p.PairsAtHand == 1 {
			verb = "detects"
		}
		difference := phrases.Sentence("plan.says-none")
		if p.Detectable != nil {
			difference = phrases.Sentence("plan.says-points", table.Fixed(p.Detectable, 1))
		}
		sentences = append(sentences,
			phrases.Sentence("plan.says", table.CountWithNoun(*p.PairsAtHand, "pair"), verb, difference))
	}
	return strings.Join(sentences, " ")
}

// Document returns a table of the questions and their answers.
func (p *SampleSizes) Document() doc.Document {
	t := &doc.Table{
		RowHead: phrases.Sentence("plan.discordant", table.Decimal(p.Discordant)),
		Columns: doc.ColumnsOfKind(doc.ColumnInteger, phrases.Sentence("plan.power", table.Decimal(p.Power))),
	}
	sheet := [][]string{{"question", "answer", "discordant", "power", "alpha"}}
	parameters := []string{table.Decimal(p.Discordant), table.Decimal(p.Power), table.Decimal(p.Alpha)}
	add := func(question, answer string) {
		t.Add(doc.WordRow(question, answer))
		sheet = append(sheet, append([]string{question, answer}, parameters...))
	}
	if p.Detect != nil {
		add(phrases.Sentence("plan.to-tell", table.Decimal(*p.Detect)), strconv.Itoa(*p.PairsToDetect))
		add(phrases.Sentence("plan.to-equate", table.Decimal(*p.Detect)), strconv.Itoa(*p.PairsForEquivalence))
	}
	if p.PairsAtHand != nil {
		answer := "none"
		if p.Detectable != nil {
			answer = table.Fixed(p.Detectable, 1)
		}
		add(phrases.Sentence("plan.tells", *p.PairsAtHand), answer)
	}
	b := doc.Block{Table: t}
	b.Remark("plan.tests", table.Decimal(p.Alpha))
	b.Remark("plan.about-discordant")
	return doc.Document{Answer: p.Says, Blocks: []doc.Block{b}, CSVRows: sheet}
}
