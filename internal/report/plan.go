package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring/stats"
)

// Plan is what `gavel plan` prints.
type Plan struct {
	Says       string   `json:"says"`       // the answer in a sentence or two
	Discordant float64  `json:"discordant"` // percent
	Power      float64  `json:"power"`      // percent
	Alpha      float64  `json:"alpha"`
	Detect     *float64 `json:"detect,omitempty"`        // points
	ToTell     *int     `json:"pairs_to_tell,omitempty"` // that a difference of so many points takes
	// that it takes to find judges that are the same within as many points to be so
	ToEquate *int     `json:"pairs_to_equate,omitempty"`
	Pairs    *int     `json:"pairs,omitempty"`
	Tells    *float64 `json:"tells,omitempty"` // points that so many pairs tell; none where they tell no difference
}

// Fill answers what is asked: how many pairs tell a difference of Detect points, and what Pairs tell. The error names
// the flag whose value cannot be.
func (p *Plan) Fill() error {
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
		p.ToTell = whole(stats.PairsToTell(*p.Detect/100, psi, p.Alpha, power))
		p.ToEquate = whole(stats.PairsToEquate(*p.Detect/100, psi, p.Alpha, power))
	}
	if p.Pairs != nil {
		if tells := 100 * stats.Tells(*p.Pairs, psi, p.Alpha, power); !math.IsNaN(tells) {
			p.Tells = new(math.Round(tells*1e4) / 1e4)
		}
	}
	p.Says = p.answer()
	return nil
}

// Sentences are the answer.
func (p *Plan) Sentences() []string { return []string{p.Says} }

func (p *Plan) answer() string {
	var says []string
	if p.ToTell != nil {
		says = append(says, fmt.Sprintf("It takes %s pairs to tell judges apart that differ by %s points.",
			humanize.Comma(int64(*p.ToTell)), decimal(*p.Detect)))
	}
	tell := " tell"
	if p.Pairs != nil && *p.Pairs == 1 {
		tell = " tells"
	}
	switch {
	case p.Pairs == nil:
	case p.Tells == nil:
		says = append(says, table.Count(*p.Pairs, "pair")+tell+" no difference.")
	default:
		says = append(says, fmt.Sprintf("%s%s judges apart that differ by %s points or more.",
			table.Count(*p.Pairs, "pair"), tell, table.Fixed(p.Tells, 1)))
	}
	return strings.Join(says, " ")
}

// rows are questions and their answers.
func (p *Plan) rows() (rows [][2]string) {
	if p.Detect != nil {
		rows = append(rows, [2]string{
			fmt.Sprintf("pairs to tell judges apart that differ by %s points", decimal(*p.Detect)),
			strconv.Itoa(*p.ToTell),
		},
			[2]string{
				fmt.Sprintf("pairs to find judges that are the same to be so within %s points", decimal(*p.Detect)),
				strconv.Itoa(*p.ToEquate),
			})
	}
	if p.Pairs != nil {
		answer := "none"
		if p.Tells != nil {
			answer = table.Fixed(p.Tells, 1)
		}
		rows = append(rows, [2]string{fmt.Sprintf("points that %d pairs tell", *p.Pairs), answer})
	}
	return rows
}

// CSV writes a row for each answer.
func (p *Plan) CSV(w io.Writer) error {
	rows := [][]string{{"question", "answer", "discordant", "power", "alpha"}}
	for _, r := range p.rows() {
		rows = append(rows, []string{r[0], r[1], decimal(p.Discordant), decimal(p.Power), decimal(p.Alpha)})
	}
	return table.WriteCSV(w, rows)
}

// Tables is one.
func (p *Plan) Tables() []table.Table {
	t := table.Table{
		Columns: table.Left(fmt.Sprintf("%s %% of the pairs discordant", decimal(p.Discordant))).
			Right(fmt.Sprintf("%s %% power", decimal(p.Power))),
		Notes: []string{
			fmt.Sprintf("told apart: McNemar's exact test, two-sided at %[1]s; "+
				"the same: two one-sided score tests at %[1]s each; both as gavel compare makes them", decimal(p.Alpha)),
			"discordant: one of the two judges alone is right; " +
				"gavel race stops as soon as it is sure, and mostly takes fewer where judges differ by more",
		},
	}
	for _, r := range p.rows() {
		t.Row(r[:]...)
	}
	return []table.Table{t}
}
