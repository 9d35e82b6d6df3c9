package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/jury"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Jury is what a jury is worth beside its members: what `gavel jury` prints, and a part of the page of its run.
type Jury struct {
	*jury.Report
	Links JuryLinks `json:"-"`
}

// JuryLinks are addresses of what the page of a jury speaks of; nil where there is none.
type JuryLinks struct {
	Run   func(run string) string        // the page of a run
	Votes func(right int) string         // the units that so many members are right on; "" where there is none
	Apart func(best, show string) string // the units that the best member and the jury differ on
}

// Jurors of a run: of that of a jury its members, as they were given; nil of any other.
func Jurors(m *judging.Manifest) []judging.StageOf {
	if !jury.IsJury(m) {
		return nil
	}
	return m.Stages
}

// JuryCommand returns the words that make the run of a jury in the folder out, to be followed by its members.
func JuryCommand(m *judging.Manifest, out string) []string { return jury.Command(m, out) }

// NewJury holds the run of a jury against its members, which go by the names that are given.
func NewJury(run *scoring.Run, members []*scoring.Run, names []string, b stats.Bootstrap) (*Jury, error) {
	r, err := jury.Assess(run, members, names, b)
	if err != nil {
		return nil, err
	}
	return &Jury{Report: r}, nil
}

// juryOf is what a jury among the runs of a document is worth, with links to its members in it; nil of another run, and
// where a member is not at hand.
func juryOf(run *scoring.Run, loaded []*scoring.Run, pages map[string]string, o scoring.Options) *Jury {
	members := jury.Members(run, loaded, o.Reading)
	if members == nil {
		return nil
	}
	j, err := NewJury(run, members, nil, o.Bootstrap)
	if err != nil {
		return nil // the page of the run says what it is alone
	}
	j.Links.Run = func(run string) string { return pages[run] }
	return j
}

// JuryRule is how the verdicts of a jury became one, by the name of its prompt.
func JuryRule(prompt string) string { return strings.TrimPrefix(prompt, "jury by ") }

// mostPairsShown is how many pairs of members a table lists.
const mostPairsShown = 15

// Sentences are the answer, and what it stands on.
func (j Jury) Sentences() []string { return []string{strings.TrimSpace(j.Says + " " + j.Also)} }

// CSV writes the jury, its members and what the jury gains.
func (j Jury) CSV(w io.Writer) error {
	rows := [][]string{{"kind", "runs", "metric", "value", "low", "high", "n"}}
	add := func(kind, run string, numbers ...*float64) {
		row := []string{kind, run, j.Metric}
		for _, v := range numbers {
			row = append(row, table.Cell(v, 4))
		}
		rows = append(rows, append(row, strconv.Itoa(j.N)))
	}
	add("jury", j.Report.Jury, j.Value.Value, j.Value.Low, j.Value.High)
	for _, m := range j.Members {
		add("member", m.Run, m.Value, m.Low, m.High)
	}
	add("gain", j.Report.Jury, j.Gain.Diff, j.Gain.Low, j.Gain.High)
	return table.WriteCSV(w, rows)
}

// juryRow is the jury or a member beside the others.
type juryRow struct {
	run, name string
	jury      bool
	calls     int
	value     scoring.Result
	scored    *scoring.Report
}

// rows are the members and the jury, the best first.
func (j Jury) rows() (all []juryRow) {
	of := juryRow{
		run:    j.Report.Jury,
		name:   "the jury",
		jury:   true,
		calls:  j.Calls,
		value:  j.Value,
		scored: &j.Scored,
	}
	for i := range j.Members {
		m := &j.Members[i]
		all = append(all, juryRow{
			run:    m.Run,
			name:   m.Name,
			calls:  m.Calls,
			value:  scoring.Result{Metric: j.Metric, Value: m.Value, Low: m.Low, High: m.High, N: j.N},
			scored: &m.Scored,
		})
	}
	at := slices.IndexFunc(all, func(r juryRow) bool { return of.value.Value != nil && *r.value.Value <= *of.value.Value })
	if at < 0 {
		at = len(all)
	}
	return slices.Insert(all, at, of)
}

// said is how many calls it took; "" where nobody noted it.
func (r juryRow) said() string {
	if r.calls == 0 {
		return ""
	}
	return humanize.Comma(int64(r.calls))
}

// Brief is the jury among its members, and what it gains.
func (j Jury) Brief() []table.Table {
	t := table.Table{
		Plain: true,
		Columns: table.Left("", "good for", MetricName(j.Scored.Protocol, j.Metric)).
			Right("where agreed", "kept", "calls").
			Spare("kept", "where agreed"),
	}
	for _, r := range j.rows() {
		t.Row(r.name, table.Level(levelOf(r.scored)), table.Roughly(r.value)+" "+Strip(r.value),
			given(r.scored.Overall("right-where-alike")), given(r.scored.Overall("coverage")), r.said())
	}
	t.Notef("percent of %s that all have judged", table.Count(j.N, layoutOf(j.Scored.Protocol).item()))
	if only := j.onlyRight(); only != "" {
		t.Note(only)
	}
	t.Note(tooHigh, "who agrees with whom: --full")
	t.Warn(j.Warnings)
	return []table.Table{t}
}

// tooHigh is what to know of a best member.
const tooHigh = "the best member was chosen on these same items, so its value is a little too high"

// onlyRight says on how many units only one of the jury and its best member is right; "" where nobody knows.
func (j Jury) onlyRight() string {
	d := j.Gain
	if d.Table == nil || len(j.Members) == 0 {
		return ""
	}
	return fmt.Sprintf("%s right only by the jury, %s only by %s: %s",
		table.Count(d.Table.OnlyB, layoutOf(j.Scored.Protocol).item()), humanize.Comma(int64(d.Table.OnlyA)),
		scoring.InSentence(j.Members[0].Name), j.test())
}

// test is the p of the gain: "p = 0.06 (exact McNemar)".
func (j Jury) test() string {
	d := j.Gain
	if d.P == nil {
		return "no test"
	}
	p := "p = " + table.PValue(d.P)
	p = strings.Replace(p, "= <", "< ", 1) + " (" + cmp.Or(d.Test, "exact McNemar") + ")"
	const alpha = 0.05
	if *d.P < alpha && d.Holm != nil && *d.Holm >= alpha {
		p += fmt.Sprintf(", %s after Holm's correction over all numbers of the two", table.PValue(d.Holm))
	}
	return p
}

// Tables are the jury beside its members, and how alike these err.
func (j Jury) Tables() []table.Table {
	beside := table.Table{
		Title: fmt.Sprintf("jury of %d by %s · n=%d", len(j.Members), j.Rule, j.N),
		Columns: table.Left("judge", "run", "good for").
			Right(j.Metric+" %", "where both orders agree", "pairs kept", "calls"),
	}
	for _, r := range j.rows() {
		beside.Row(r.name, r.run, table.Level(levelOf(r.scored)), table.Interval(r.value.Value, r.value.Low, r.value.High, 1, 1),
			share100(r.scored.Overall("right-where-alike").Value), share100(r.scored.Overall("coverage").Value), r.said())
	}
	beside.Notes = []string{
		fmt.Sprintf("jury − best member: %s points, paired; %s",
			table.Interval(j.Gain.Diff, j.Gain.Low, j.Gain.High, 1, 1), tooHigh),
	}
	if only := j.onlyRight(); only != "" {
		beside.Note(only)
	}
	beside.Warn(j.Warnings)
	errors := table.Table{
		Columns: table.Left("errors of", "and of").Right("κ", "both wrong", "same verdict, %", "of pairs"),
	}
	names := j.names()
	alike := j.mostAlike()
	if n := len(alike) - mostPairsShown; n > 0 {
		alike = alike[:mostPairsShown]
		errors.Notes = []string{fmt.Sprintf("those most alike; %d more pairs in --json", n)}
	}
	for _, l := range alike {
		of := ""
		if l.Same != nil {
			of = strconv.Itoa(l.SameOf)
		}
		errors.Row(names[l.A], names[l.B], table.Fixed(l.Kappa, 2), strconv.Itoa(l.BothFail), share100(l.Same), of)
	}
	errors.Note(aboutKappa, aboutSame)
	return []table.Table{beside, errors}
}

// What the numbers of two members mean.
const (
	aboutKappa = "κ: Cohen's kappa of whether both are right on an item; 0: as expected by chance, 1: always the same"
	aboutSame  = "same verdict: both name the same response, of the pairs where each names one in both orders"
)

// names of the members by their runs.
func (j Jury) names() map[string]string {
	names := map[string]string{}
	for _, m := range j.Members {
		names[m.Run] = m.Name
	}
	return names
}

// mostAlike are every two members, those that err most alike first.
func (j Jury) mostAlike() []jury.Likeness {
	return slices.SortedStableFunc(slices.Values(j.Errors), func(a, b jury.Likeness) int {
		return cmp.Compare(orLeast(b.Kappa), orLeast(a.Kappa))
	})
}

// share100 is a percentage; "" where there is none.
func share100(v *float64) string {
	if v == nil {
		return ""
	}
	return table.Fixed(v, 1)
}

// orLeast is a coefficient, or less than any where there is none.
func orLeast(kappa *float64) float64 {
	if kappa == nil {
		return -2
	}
	return *kappa
}

// made says how the members became one: "majority of A, B and C".
func (j Jury) made() string {
	names := make([]string, len(j.Members))
	for i, m := range j.Members {
		names[i] = scoring.InSentence(m.Name)
	}
	return JuryRule(j.Scored.Prompt) + " of " + Enumerate(names)
}
