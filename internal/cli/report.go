package cli

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/labels"
	"gavel/internal/report"
	"gavel/internal/suite"
	"gavel/scoring"
)

// writeReport writes a report of runs to a file or to standard output.
func (e *env) writeReport(c *cli.Context) error {
	out := c.String("out")
	if out == "" {
		return usageError("--out is missing: give --out FILE.html or --out - for standard output")
	}
	ending := strings.ToLower(filepath.Ext(out))
	if !slices.Contains([]string{"", ".html", ".htm", ".md", ".svg"}, ending) {
		return usageError("--out %s: a report is HTML, Markdown or a picture: give a name that ends in .html, .md or .svg",
			out)
	}
	loaded, o, err := loadRuns(c, 1, "which run? Give the folder of one or more")
	if err != nil {
		return err
	}
	runs := make([]report.Run, len(loaded))
	for i, r := range loaded {
		rep := r.Score(o.Bootstrap)
		rep.Ledger = r.Ledger()
		runs[i] = report.Run{Report: rep, Metadata: scoring.Metadata(r.Manifest)}
		runs[i].Run = r.Dir
		runs[i].BiasAnalysis, _ = r.AnalyzeBias(o.Bootstrap) // none without the texts
	}
	people, err := e.peopleAgreement(c, o)
	if err != nil {
		return err
	}
	page := report.RunsReport{Runs: runs, Boards: report.Leaderboards(loaded, runs, o), LabelAgreement: people}
	if len(runs) == 2 && loaded[0].Manifest.ID != loaded[1].Manifest.ID {
		if c, err := scoring.Compare(loaded, o.Bootstrap); err == nil { // else they are not about the same
			reports := []*scoring.Report{&runs[0].Report, &runs[1].Report}
			page.Comparison = &report.Comparison{Comparisons: c, Reports: reports}
		}
	}
	if s, err := suite.Open(c.Args().First()); err == nil {
		results, err := s.Results()
		if err == nil && results.Study != nil {
			page.Comparison = results.Study
		}
	}
	write := map[string]func(io.Writer) error{".md": page.Markdown, ".svg": page.Picture}[ending]
	switch {
	case out == "-":
		return page.WriteHTML(e.stdout)
	case write != nil:
		err = report.WriteUnmarkedFile(out, c.Bool("force"), write)
	default:
		err = page.WriteFile(out, c.Bool("force"))
	}
	if err != nil {
		return err
	}
	e.say("report written to %s", out)
	return nil
}

// peopleAgreement returns how far the judges of the runs agree with people's labels in the file of
// --labels; nil without that flag.
func (e *env) peopleAgreement(c *cli.Context, o scoring.Options) (*labels.Agreement, error) {
	if c.String("labels") == "" {
		return nil, nil
	}
	dirs, _, file, err := e.labelInputs(c)
	if err != nil {
		return nil, err
	}
	return labels.Rank(dirs, file, o.Reading, o.Bootstrap)
}
