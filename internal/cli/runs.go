package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	pretty "github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

func runsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:    "runs",
		Aliases: []string{"ls"},
		Action:  e.listRuns,
	}
}

// listedRun is a row of "gavel runs".
type listedRun struct {
	Run                    string                 `json:"run"` // folder of the run
	Judge                  string                 `json:"judge"`
	Model                  string                 `json:"model,omitempty"`
	Simulated              bool                   `json:"simulated"`
	Protocol               string                 `json:"protocol,omitempty"`
	Dataset                string                 `json:"dataset,omitempty"`
	Level                  scoring.UsabilityLevel `json:"level,omitempty"`             // what the judge is good for
	Headline               *scoring.Result        `json:"headline"`                    // null if nothing is scored
	AccuracyWhenConsistent *scoring.Result        `json:"right_where_alike,omitempty"` // for runs of pairs
	Coverage               *scoring.Result        `json:"coverage,omitempty"`          // share of pairs whose orders agree
	Status                 string                 `json:"status"`
	Judgments              int                    `json:"judgments"` // number made so far
	Expected               int                    `json:"expected"`  // judgments of the complete run
	Started                time.Time              `json:"started,omitzero"`
	Ended                  time.Time              `json:"ended,omitzero"`
	Error                  string                 `json:"error,omitempty"` // why the run cannot be read

	report    scoring.Report
	items     judging.ItemSet // the items judged; runs with nearly equal items share a set
	givenName string          // name that a person gave the run; "" for none
	// the run was imported: it has no times
	imported bool
}

// statusUnreadable is the status of a run whose manifest cannot be read.
const statusUnreadable = "damaged"

func (e *env) listRuns(c *cli.Context) error {
	if c.NArg() == 1 && c.IsSet("runs") {
		return usageError("DIR and --runs are the same: give one of them")
	}
	dir := cmp.Or(c.Args().First(), c.String("runs"))
	runs, err := e.findRuns(dir)
	if errors.Is(err, fs.ErrNotExist) && !c.IsSet("runs") && c.NArg() == 0 {
		err = nil // nobody has made one yet
	}
	if err != nil {
		return fmt.Errorf("the folder of runs: %w", err)
	}
	if isMachineFormat(c) {
		t := &doc.Table{RowHead: "run", Columns: slices.Concat(
			doc.ColumnsOfKind(doc.ColumnWords, "judge", "protocol", "dataset", "level", "headline"),
			doc.ColumnsOfKind(doc.ColumnInteger, "value", "kept", "judgments", "expected"),
			doc.ColumnsOfKind(doc.ColumnWords, "status", "began"),
		)}
		for _, r := range runs {
			headline := cmp.Or(r.Headline, &scoring.Result{})
			began := ""
			if !r.Started.IsZero() {
				began = r.Started.Format(time.RFC3339)
			}
			coverage := cmp.Or(r.Coverage, &scoring.Result{})
			t.Add(doc.WordRow(
				r.Run, r.Judge, r.Protocol, r.Dataset, string(r.Level), headline.Metric,
				table.ResultValue(*headline), table.ResultValue(*coverage),
				fmt.Sprint(r.Judgments), fmt.Sprint(r.Expected), r.Status, began,
			))
		}
		return e.printResult(c, doc.Document{Blocks: []doc.Block{{Table: t}}, Data: map[string]any{"runs": runs}})
	}
	if len(runs) == 0 {
		e.say("there are no runs in %s yet", dir)
		e.next("doctor")
		return nil
	}
	_, err = fmt.Fprint(e.stdoutWriter(), e.runListText(runs))
	return err
}

// findRuns returns the runs in the folder dir, or the run that dir is, sorted by sortByQuestion.
func (e *env) findRuns(dir string) ([]listedRun, error) {
	above, single := dir, false
	if _, err := os.Stat(filepath.Join(dir, judging.ManifestFile)); err == nil {
		above, single = filepath.Dir(filepath.Clean(dir)), true
	}
	folder, err := store.Open(above, e.now)
	if err != nil {
		return nil, err
	}
	defer folder.CancelClosing()
	var runs []store.FoundRun
	if single {
		run, _ := folder.Lookup(filepath.Base(dir))
		runs = append(runs, run)
	} else if runs, err = folder.List(); err != nil {
		return nil, err
	}
	var rows []listedRun
	for _, run := range runs {
		row := readRun(folder, run)
		row.Run = filepath.Join(above, filepath.FromSlash(run.Name))
		row.report.Run = row.Run
		rows = append(rows, row)
	}
	return sortByQuestion(rows), nil
}

// sortByQuestion sorts runs by question (protocol and items): the question with the newest run first, in each
// question the best run first.
func sortByQuestion(rows []listedRun) []listedRun {
	unifyItemSets(rows)
	questions := byQuestion(rows)
	newest := func(question []listedRun) time.Time {
		return slices.MaxFunc(question, func(a, b listedRun) int { return a.Started.Compare(b.Started) }).Started
	}
	slices.SortStableFunc(questions, func(a, b []listedRun) int {
		unread := func(question []listedRun) float64 { return scoring.Indicator(question[0].Error != "") }
		return cmp.Or(cmp.Compare(unread(a), unread(b)), newest(b).Compare(newest(a)))
	})
	for _, of := range questions {
		nameJudges(of)
		slices.SortStableFunc(of, func(a, b listedRun) int { return cmp.Compare(b.headlineValue(), a.headlineValue()) })
	}
	return slices.Concat(questions...)
}

// readRun returns the row of a run with its stored scores or, if these are missing or outdated,
// with scores computed now.
func readRun(folder *store.Store, run store.FoundRun) listedRun {
	if run.Err != nil {
		return listedRun{Judge: run.Name, Status: statusUnreadable, Error: run.Err.Error()}
	}
	m := run.Manifest
	row := listedOf(m)
	row.items = folder.ItemSet(run.Name, m)
	row.givenName = folder.About(run.Name).Name
	rep := folder.WrittenReport(run.Name, m, folder.Stamps(run.Name))
	if rep == nil || rep.ScoringVersion < scoring.Version {
		var err error
		rep, err = folder.Score(run.Name, "")
		if err != nil && m.Status != judging.Running {
			row.Error = err.Error()
		}
		if err != nil {
			return row
		}
	}
	row.setScores(rep)
	return row
}

// listedOf returns the row of a run from its manifest, without scores.
func listedOf(m *judging.Manifest) listedRun {
	return listedRun{
		Judge:     cmp.Or(m.Name, m.Spec.Model.Name),
		Model:     m.Spec.Model.Name,
		Simulated: m.Simulated,
		Protocol:  m.Spec.Protocol,
		Dataset:   m.Dataset.Name,
		Status:    m.Status,
		Expected:  m.Judgments,
		Started:   m.Started,
		Ended:     m.Ended,
		imported:  m.Started.IsZero(),
	}
}

// setScores copies the scores of a report to the row.
func (row *listedRun) setScores(rep *scoring.Report) {
	row.Run = rep.Run
	row.report = *rep
	row.Judgments = rep.Judgments()
	row.Headline = report.Headline(rep)
	if coverage := rep.Overall(scoring.Coverage); coverage.Value != nil {
		row.Coverage = &coverage
		row.AccuracyWhenConsistent = new(rep.Overall(scoring.AccuracyWhenConsistent))
	}
	if rep.Diagnosis != nil {
		row.Level = rep.Diagnosis.Level
	}
}

// nameJudges sets names of judges by which the runs of one question can be told apart.
func nameJudges(rows []listedRun) {
	runs := make([]scoring.Report, len(rows))
	for i, r := range rows {
		runs[i] = r.report
	}
	for i, name := range report.NamesOf(runs) {
		if rows[i].report.Model != "" { // something is scored
			rows[i].Judge = cmp.Or(rows[i].givenName, name)
		}
	}
}

// groupKey returns the key of runs that are listed together: protocol and items; "" for runs that cannot be read.
func (r listedRun) groupKey() string {
	if r.Error != "" {
		return ""
	}
	return r.Protocol + string(r.items)
}

// unifyItemSets gives runs over nearly equal items the same set of items, so that they are listed together.
func unifyItemSets(rows []listedRun) {
	var sets []judging.ItemSet
	for i := range rows {
		j := slices.IndexFunc(sets, rows[i].items.AlmostEqual)
		if j < 0 {
			j = len(sets)
			sets = append(sets, rows[i].items)
		}
		rows[i].items = sets[j]
	}
}

// headlineValue returns the value of the run's headline, -∞ if it has none.
func (r listedRun) headlineValue() float64 {
	if r.Headline == nil || r.Headline.Value == nil {
		return math.Inf(-1)
	}
	return *r.Headline.Value
}

// state returns in words how far the run is, and when it ended or started.
func (r listedRun) state(now time.Time) string {
	when := r.Ended
	if when.IsZero() {
		when = r.Started
	}
	state := ""
	if r.Status != judging.Complete {
		state = r.Status
		if r.Expected > 0 && r.Judgments < r.Expected {
			state += fmt.Sprintf(" at %d %%", 100*r.Judgments/r.Expected)
		}
	}
	if r.imported {
		return joinWithDots(state, "imported")
	}
	if when.IsZero() {
		return state
	}
	return joinWithDots(state, humanize.RelTime(when, now, "ago", "from now"))
}

// runListText returns a heading for each question and a line for each of its runs, with the run's folder at its end, or
// on the next line if the terminal is too narrow. Lines that are too long are cut.
func (e *env) runListText(runs []listedRun) string {
	w := e.stdoutWriter()
	var out strings.Builder
	for _, of := range byQuestion(runs) {
		if of[0].Error != "" {
			fmt.Fprintf(&out, "\n%s\n", table.Bold(w, "cannot be read"))
			for _, r := range of {
				fmt.Fprintf(&out, "%s\n", table.ReplaceControls("  "+r.Run+": "+r.Error))
			}
			continue
		}
		t := table.Table{
			NoHeadingRule: true,
			Columns:       table.TextColumns("good for").AddNumberColumns("score", "kept").AddTextColumns("judge", ""),
		}
		score := ""
		for _, r := range of {
			value := ""
			if r.Headline != nil {
				value = table.WithInterval(*r.Headline)
				if r.Headline.Unit == "" {
					value = table.Interval(r.Headline.Value, r.Headline.Low, r.Headline.High, 0, 0)
				}
				score = report.ScoreName(&r.report, r.Headline.Metric)
			}
			coverage := ""
			if r.Coverage != nil {
				coverage = table.Fixed(r.Coverage.Value, 0) + " %"
			}
			t.AddRow(table.LevelWithSymbol(r.Level), value, coverage, r.Judge, r.state(e.now()))
		}
		items := report.ItemCountText(of[0].Protocol, of[0].report.Expected)
		heading := joinWithDots(of[0].Protocol, of[0].Dataset, items, "score: "+score)
		fmt.Fprintf(&out, "\n%s\n", table.Bold(w, table.SanitizeLine(heading)))
		var rows strings.Builder
		table.TerminalWriter(0)(&rows, t)
		for i, line := range strings.Split(strings.TrimSpace(rows.String()), "\n") {
			line = "  " + line
			if e.columns > 0 {
				line = pretty.Snip(line, e.columns, "…")
			}
			if i == 0 {
				out.WriteString(table.Faint(w, line) + "\n")
				continue
			}
			folder := table.SanitizeLine(of[i-1].Run)
			before := "  "
			if width := pretty.StringWidthWithoutEscSequences(line + before + folder); e.columns > 0 && width > e.columns {
				before = "\n    "
			}
			out.WriteString(line + before + table.Faint(w, folder) + "\n")
		}
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// joinWithDots joins words with a middle dot, without the empty ones.
func joinWithDots(words ...string) string { return joinNonEmpty(" · ", words...) }

// joinNonEmpty joins the words that are not empty.
func joinNonEmpty(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}

// byQuestion returns groups of the runs that are listed together, in the order of each group's first run.
func byQuestion(rows []listedRun) [][]listedRun {
	var groups scoring.OrderedMap[string, []listedRun]
	for _, r := range rows {
		group := groups.Get(r.groupKey())
		*group = append(*group, r)
	}
	return groups.Values
}
