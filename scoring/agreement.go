package scoring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Agreement is how often a judge's votes on pairs of models' answers are those
// of people, as MT-Bench's paper has it (arXiv 2306.05685, Table 5).
type Agreement struct {
	Run       string         `json:"run"`
	ID        string         `json:"id"`
	Model     string         `json:"model"`
	Dataset   string         `json:"dataset"`
	Simulated bool           `json:"simulated"`
	Human     string         `json:"human"` // the file of people's votes
	Judged    int            `json:"judged"`
	Votes     int            `json:"votes"`   // of people
	Matched   int            `json:"matched"` // of those, on pairs that the judge voted on
	Rows      []AgreementRow `json:"agreement"`
	Bootstrap Bootstrap      `json:"bootstrap"`
	Warnings  []string       `json:"warnings"`
}

// AgreementRow is one number of it: of all pairs of votes, one of each of two kinds of voters, on the same pair of
// answers to the same turn, the share that name the same winner. Two votes of one person are no pair.
type AgreementRow struct {
	Turn     int       `json:"turn"`
	Between  [2]string `json:"between"` // kinds of voters
	Setup    string    `json:"setup"`   // WithTies or WithoutTies
	Value    *float64  `json:"value"`   // percent; null where there is nothing to compare
	Equal    int       `json:"equal"`
	N        int       `json:"n"` // pairs of votes
	Low      *float64  `json:"low"`
	High     *float64  `json:"high"`
	Interval string    `json:"interval,omitempty"` // how it was made
	Chance   float64   `json:"chance"`             // percent that two who vote at random would have
	Note     string    `json:"note,omitempty"`
}

// Setups of an agreement.
const (
	WithTies    = "S1" // all votes; a tie agrees with a tie, and no more with anything else
	WithoutTies = "S2" // of the pairs of votes those in which neither is a tie
)

// Kinds of voters.
const (
	TheJudge = "judge"
	Experts  = "experts" // expert_N of MT-Bench's file: the paper's humans
	Authors  = "authors" // author_N: the paper's authors, kept apart as FastChat does
	Others   = "others"
)

// voterKind tells by a voter's name what it is.
func voterKind(name string) string {
	switch {
	case strings.HasPrefix(name, judging.ExpertPrefix):
		return Experts
	case strings.HasPrefix(name, judging.AuthorPrefix):
		return Authors
	}
	return Others
}

// pairings are whose votes are compared, in the order tables print them.
var pairings = [][2]string{
	{TheJudge, Experts}, {TheJudge, Authors}, {TheJudge, Others},
	{Experts, Experts}, {Authors, Authors}, {Others, Others}, {Experts, Authors},
}

// vote is a vote as agreement needs it.
type vote struct {
	voter, kind string
	winner      int
}

// contest is a pair of answers to one turn of a question, with all votes on it.
type contest struct {
	question string
	turn     int
	ballots  []vote
}

// Agree compares the verdicts of a run of preferences with people's votes on the
// same pairs. The run's items are found by their ids, [judging.Vote.Item].
func Agree(dir string, votes []judging.Vote, how judging.Reading, b stats.Bootstrap) (*Agreement, error) {
	a := &Agreement{Votes: len(votes), Bootstrap: bootstrapOf(b, "question"), Warnings: []string{}}
	contests := contestsOf(votes)
	silent, unvoted := 0, 0
	m, err := judging.EachVerdict(dir, how, func(r *judging.Record, _ judging.Asker, v judging.Verdict) error {
		if !r.IsPreference() {
			return fmt.Errorf("%s is no preference between two models' answers: there are no votes on it", r.Item)
		}
		c := contests[r.Item]
		switch {
		case v.Outcome == judging.Tie:
			v.Choice = judging.VoteTie
		case v.Outcome != judging.Decided:
			silent++
			return nil
		}
		a.Judged++
		if c == nil {
			unvoted++
			return nil
		}
		a.Matched += len(c.ballots)
		c.ballots = append(c.ballots, vote{voter: TheJudge, kind: TheJudge, winner: v.Choice})
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.Run = dir
	a.ID = m.ID
	a.Model = m.Spec.Model.Name
	a.Dataset = m.Dataset.Name
	a.Simulated = m.Simulated
	a.Rows = agreementRows(contests, b)
	a.warn(silent, unvoted)
	return a, nil
}

func (a *Agreement) warn(silent, unvoted int) {
	say := func(format string, args ...any) { a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...)) }
	if a.Simulated {
		say(simulatedWarning)
	}
	if silent > 0 {
		say("the judge has no verdict on %d of %d pairs: they are left out", silent, silent+a.Judged)
	}
	if unvoted > 0 {
		say("nobody voted on %d of the %d pairs that the judge has a verdict on", unvoted, a.Judged)
	}
	if left := a.Votes - a.Matched; left > 0 {
		say("%d of %d votes are on pairs without a verdict of the judge: they count only for agreement among people",
			left, a.Votes)
	}
}

// contestsOf gathers votes by what they are on.
func contestsOf(votes []judging.Vote) map[string]*contest {
	all := map[string]*contest{}
	for _, v := range votes {
		id := v.Item()
		c := all[id]
		if c == nil {
			c = &contest{question: v.Question, turn: v.Turn}
			all[id] = c
		}
		c.ballots = append(c.ballots, vote{voter: v.Judge, kind: voterKind(v.Judge), winner: v.Winner})
	}
	return all
}

// cell is a number of the table; columns 2i and 2i+1 of a question's row are what it adds to the i-th cell's
// equal votes and to its n.
type cell struct {
	turn    int
	between [2]string
	setup   string
}

// agreementRows counts, question by question, so that the intervals can resample questions: votes on one question
// have its two answers, and often the voter, in common.
func agreementRows(contests map[string]*contest, b stats.Bootstrap) []AgreementRow {
	cells := cellsOf(contests)
	if len(cells) == 0 {
		return []AgreementRow{}
	}
	index, metrics := map[cell]int{}, make([]Metric, len(cells))
	for i, c := range cells {
		index[c] = i
		metrics[i] = Metric{Kind: Several, Columns: Span{2 * i, 2*i + 2}, Why: Because("no two votes to compare")}
	}
	byQuestion := map[string][]float64{}
	for _, c := range contests {
		row := byQuestion[c.question]
		if row == nil {
			row = make([]float64, 2*len(cells))
			byQuestion[c.question] = row
		}
		c.count(func(between [2]string, setup string, equal bool) {
			i := index[cell{turn: c.turn, between: between, setup: setup}]
			row[2*i] += One(equal)
			row[2*i+1]++
		})
	}
	s := SampleOf("question", metrics, inOrder(byQuestion))
	out := []AgreementRow{}
	for i, r := range s.Results("", metrics, b) {
		c := cells[i]
		row := AgreementRow{
			Turn:     c.turn,
			Between:  c.between,
			Setup:    c.setup,
			Value:    r.Value,
			Equal:    int(s.sums[2*i]),
			N:        r.N,
			Low:      r.Low,
			High:     r.High,
			Interval: r.Interval,
			Chance:   *Percent(1.0 / 3),
			Note:     r.Note,
		}
		if c.setup == WithoutTies {
			row.Chance = 50
		}
		out = append(out, row)
	}
	return out
}

// cellsOf lists the cells that there are votes for, by turn.
func cellsOf(contests map[string]*contest) []cell {
	found := map[cell]bool{}
	for _, c := range contests {
		c.count(func(between [2]string, _ string, _ bool) {
			for _, setup := range []string{WithTies, WithoutTies} {
				found[cell{turn: c.turn, between: between, setup: setup}] = true
			}
		})
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b cell) int {
		return cmp.Or(
			a.turn-b.turn,
			slices.Index(pairings, a.between)-slices.Index(pairings, b.between),
			strings.Compare(a.setup, b.setup),
		)
	})
}

// count calls use for every two votes of different voters, once for each setup that they are part of.
func (c *contest) count(use func(between [2]string, setup string, equal bool)) {
	for i, a := range c.ballots {
		for _, b := range c.ballots[i+1:] {
			if a.voter == b.voter && a.kind == b.kind {
				continue
			}
			between, ok := pairing(a.kind, b.kind)
			if !ok {
				continue
			}
			use(between, WithTies, a.winner == b.winner)
			if a.winner != judging.VoteTie && b.winner != judging.VoteTie {
				use(between, WithoutTies, a.winner == b.winner)
			}
		}
	}
}

// pairing is the one of two kinds of voters, in whatever order.
func pairing(a, b string) ([2]string, bool) {
	for _, p := range pairings {
		if p == [2]string{a, b} || p == [2]string{b, a} {
			return p, true
		}
	}
	return [2]string{}, false
}
