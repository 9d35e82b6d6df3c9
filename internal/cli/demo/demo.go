// Package demo shows what gavel finds out about judges. No model, no network and no data are needed: the verdicts of
// published judges are part of gavel, and judges of other protocols are simulated.
package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/internal/eval"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// Names are the demos, by the protocols that they show, the first by default.
var Names = []string{
	pairwise.Protocol.Name, pairwise.Reversed.Name, selfreference.Protocol.Name, multioption.Protocol.Name,
}

// Demo is judges of one condition, with what is said of them.
type Demo struct {
	says    string   // the answer
	asks    string   // what the judges were asked, and about what
	found   []string // sentences on what the table shows, beside the first
	notes   string   // under the table
	board   report.Board
	judges  []simulation // where they are simulated, in the order of what follows
	runs    []*scoring.Run
	names   []string // of the judges
	reports []scoring.Report
}

// New has the judges of a protocol judge. Their runs stay in the folder out; "" is none.
func New(ctx context.Context, m *eval.Maker, protocol, out string) (*Demo, error) {
	if k, ok := kinds[protocol]; ok {
		return simulated(ctx, m, k, out)
	}
	return published(m.Version, out)
}

// rank puts the judges on a board.
func (d *Demo) rank() error {
	rankings, err := scoring.RankScored(d.runs, d.reports, scoring.DefaultOptions.Bootstrap)
	if err != nil {
		return err
	}
	d.board = report.NewBoard(rankings[0], d.reports, d.names)
	d.says = d.board.Says
	return nil
}

// add takes in a judge's run and scores it. Where dir is a folder it has the results, too.
func (d *Demo) add(name string, run *scoring.Run, dir string) error {
	rep := run.Score(scoring.DefaultOptions.Bootstrap)
	if dir != "" {
		if err := judging.WriteJSON(filepath.Join(dir, judging.ResultsFile), rep); err != nil {
			return err
		}
	}
	d.names = append(d.names, name)
	d.runs = append(d.runs, run)
	d.reports = append(d.reports, rep)
	return nil
}

// widest is how wide paragraphs are at most.
const widest = 80

// WriteText prints the demo for a terminal of so many columns, 0 where that is not known. full leaves nothing out.
func (d *Demo) WriteText(w io.Writer, columns int, full bool) error {
	if columns <= 0 {
		columns = widest
	}
	board := columns
	columns = min(columns, widest)
	for line := range strings.Lines(paragraph(d.says, columns)) {
		fmt.Fprintln(w, table.Bold(w, strings.TrimSuffix(line, "\n")))
	}
	fmt.Fprintf(w, "\n%s\n", paragraph(d.asks, columns))
	if err := d.board.Text(w, board, full); err != nil {
		return err
	}
	if d.notes != "" {
		fmt.Fprintf(w, "%s\n", paragraph(d.notes, columns))
	}
	_, err := fmt.Fprint(w, paragraph(strings.Join(d.found, " "), columns))
	return err
}

// paragraph breaks lines between words.
func paragraph(lines string, columns int) string {
	if lines == "" {
		return ""
	}
	const percent, unbroken = " %", "\ue000%" // which nothing wraps at
	var out strings.Builder
	lines = strings.ReplaceAll(lines, percent, unbroken)
	for line := range strings.SplitSeq(text.WrapSoft(lines, columns), "\n") {
		fmt.Fprintln(&out, strings.TrimRight(strings.ReplaceAll(line, unbroken, percent), " "))
	}
	return out.String()
}

// next are the commands that one would give after a demo.
const (
	nextReal = `
Look at it: gavel demo --serve      Your own judge: gavel doctor
The other protocols (which is worse? does its own answer help? best of
several?): gavel demo reversed | self-reference | multi-option
`
	nextSimulated = `
Look at it: gavel demo %s --serve
Real judges: gavel demo      Your own judge: gavel doctor
`
)

// WriteNext prints what to type next.
func WriteNext(w io.Writer, protocol string) error {
	next := nextReal
	if protocol != Names[0] {
		next = fmt.Sprintf(nextSimulated, protocol)
	}
	_, err := io.WriteString(w, next)
	return err
}
