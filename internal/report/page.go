package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"gavel/internal/doc"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/scoring"
)

func reports(runs []Run) []scoring.Report {
	out := make([]scoring.Report, len(runs))
	for i, r := range runs {
		out[i] = r.Report
	}
	return out
}

//go:embed assets/*.html
var assets embed.FS

var (
	//go:embed assets/report.css
	reportStyle string
	//go:embed assets/run.css
	runStyle string
	//go:embed assets/board.css
	boardStyle string
)

// Style holds the style sheet of pages, tables and drawings. They need no other style and no script: a page may be
// served with a Content-Security-Policy that allows this sheet alone.
var Style = reportStyle + runStyle + boardStyle

// pages reads the templates when the first is filled in.
var pages = sync.OnceValue(Templates)

// Templates returns the templates of results, to which a page adds its own.
func Templates() *template.Template {
	return template.Must(doc.Templates().Funcs(template.FuncMap{
		"add": func(a, b int) int { return a + b },
	}).ParseFS(assets, "assets/*.html"))
}

// Generator marks the pages that gavel wrote; only these may be replaced without force.
const Generator = `<meta name="generator" content="gavel">`

// Policy holds the Content-Security-Policy of a page: it forbids everything but the style sheet.
var Policy = func() string {
	sum := sha256.Sum256([]byte(Style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}()

// Cards of a run that is being made.
func (p *RunPage) Cards() (template.HTML, error) { return p.paper().Blocks(Cards(p)) }

// RunReport holds the leaderboards of some runs, the page of each run, and every number.
type RunReport struct {
	Runs           []Run
	Boards         []*Leaderboard
	Comparison     *Comparison       // of two runs that can be compared; nil of others
	LabelAgreement *labels.Agreement // how the judges agree with people's labels; nil where none are given
}

// WriteHTML writes a page that needs nothing else: no network, no script, no font. The same runs give the same bytes.
func (d RunReport) WriteHTML(w io.Writer) error {
	p := pageOf(d.Runs)
	p.Boards = d.Boards
	p.People = d.LabelAgreement
	if d.Comparison != nil {
		p.Two = d.Comparison.Document()
	}
	return pages().ExecuteTemplate(w, "page", p)
}

// page holds a report as its template takes it.
type page struct {
	Title     string
	One       bool   // run, not several
	Simulated string // what to say of simulated judges
	Boards    []*Leaderboard
	Two       doc.Document // their comparison; empty of others
	People    *labels.Agreement
	Pages     []*RunPage
	Generator template.HTML
	Policy    string // forbids everything but the style sheet
	Style     template.CSS
	several   []doc.Block // of several runs
}

// RunTables returns the table of the runs, the settings that differ, and the costs.
func (p *page) RunTables() (template.HTML, error) { return doc.Paper{Prefix: "all-"}.Blocks(p.several) }

// Difference returns the comparison of two runs.
func (p *page) Difference() (template.HTML, error) {
	blocks, _ := p.Two.Cut("made")
	return doc.Paper{Link: p.inFile, Prefix: "compared-"}.Blocks(blocks)
}

// Labels returns the agreement of the judges with people's labels; "" where there are none.
func (p *page) Labels() (template.HTML, error) {
	if p.People == nil {
		return "", nil
	}
	return p.People.HTML(p.inFile)
}

func pageOf(runs []Run) *page {
	scores := Scores{Runs: reports(runs)}
	names := NamesOf(scores.Runs)
	p := &page{
		Title:     titleOf(scores.Runs),
		One:       len(runs) == 1,
		Simulated: simulatedNote(scores.Runs),
		Generator: Generator,
		Policy:    Policy,
		Style:     template.CSS(Style),
	}
	terms := map[string]bool{}
	for i := range runs {
		run := NewRunPage(runs[i])
		run.Shown = terms
		if !p.One {
			run.Name = names[i]
			run.Prefix = fmt.Sprintf("run-%d-", i+1)
			run.Link = p.inFile
		}
		p.Pages = append(p.Pages, run)
	}
	if !p.One {
		runs := scores.several()
		runs.In = doc.Page
		p.several = append([]doc.Block{runs, differingSettings(p.Pages)}, scores.costs()...)
	}
	return p
}

// inFile returns the address of a run's page in the file.
func (p *page) inFile(r doc.Ref) string {
	i := slices.IndexFunc(p.Pages, func(run *RunPage) bool { return len(r.Runs) == 1 && run.Run.Run == r.Runs[0] })
	if i < 0 || p.One || r.Show != "" {
		return ""
	}
	return "#" + p.Pages[i].Prefix + "page"
}

func titleOf(runs []scoring.Report) string {
	if len(runs) == 1 {
		return runs[0].Judge() + " · " + runs[0].Protocol + " · " + runs[0].Dataset
	}
	return fmt.Sprintf("%d runs", len(runs))
}

func simulatedNote(runs []scoring.Report) string {
	n := 0
	for _, r := range runs {
		if r.Simulated {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case len(runs) == 1 && isJury(runs[0].Model):
		return phrases.Say("simulated.member")
	case n == len(runs):
		return phrases.Say("simulated.all")
	}
	return phrases.Say("simulated.some", n, len(runs))
}

// differingSettings returns a table of the settings in which runs differ.
func differingSettings(pages []*RunPage) doc.Block {
	t := &doc.Table{RowHead: "run"}
	for _, p := range pages {
		t.Add(doc.Row{Name: p.Name})
	}
	hasColumn := map[string]bool{}
	for _, p := range pages {
		for _, m := range p.Metadata {
			differs := slices.ContainsFunc(pages, func(o *RunPage) bool {
				return o.Metadatum(m.Name) != pages[0].Metadatum(m.Name)
			})
			if hasColumn[m.Name] || !differs {
				continue
			}
			hasColumn[m.Name] = true
			t.Columns = append(t.Columns, doc.Column{Name: m.Name})
			for i, o := range pages {
				t.Rows[i].Cells = append(t.Rows[i].Cells, doc.Text(o.Metadatum(m.Name)))
			}
		}
	}
	return doc.Block{ID: "settings", Title: "Settings that differ", Chart: doc.Numbers, Table: t}
}
