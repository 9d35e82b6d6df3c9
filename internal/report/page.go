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

	"gavel/internal/disk"
	"gavel/internal/doc"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/scoring"
)

//go:embed assets/*.html
var assets embed.FS

var (
	//go:embed assets/report.css
	reportStyle string
	//go:embed assets/run.css
	runPageCSS string
	//go:embed assets/board.css
	boardStyle string
)

// StyleSheet holds the style sheet of pages, tables and drawings. They need no other style and no script: a page may be
// served with a Content-Security-Policy that allows this sheet alone.
var StyleSheet = reportStyle + runPageCSS + boardStyle

// parsedTemplates returns the templates, which it reads once.
var parsedTemplates = sync.OnceValue(Templates)

// Templates returns the templates of results. The server adds those of its pages.
func Templates() *template.Template {
	return template.Must(doc.Templates().Funcs(template.FuncMap{
		"add": func(a, b int) int { return a + b },
	}).ParseFS(assets, "assets/*.html"))
}

// Generator is in the head of HTML files that gavel writes. Only files with it may be replaced without force.
const Generator = `<meta name="generator" content="gavel">`

// ContentSecurityPolicy is the Content-Security-Policy of an HTML file: it forbids everything but the style sheet.
var ContentSecurityPolicy = func() string {
	sum := sha256.Sum256([]byte(StyleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}()

// Cards returns the HTML of the main metrics, for the page of a run in progress.
func (p *RunPage) Cards() (template.HTML, error) { return p.pageContext().RenderBlocks(Cards(p)) }

// RunsReport holds the results of one or more runs for a report file: leaderboards, and the page of each run.
type RunsReport struct {
	Runs           []Run
	Boards         []*Leaderboard
	Comparison     Documenter        // of the two runs, if there are two that can be compared, or a study; else nil
	LabelAgreement *labels.Agreement // agreement of the judges with people's labels; nil without labels
}

// WriteHTML writes the report as an HTML file that needs no network, script or font. The same runs give the same bytes.
func (d RunsReport) WriteHTML(w io.Writer) error {
	p := pageOf(d.Runs)
	p.Boards = d.Boards
	p.People = d.LabelAgreement
	if d.Comparison != nil {
		p.Two = d.Comparison.Document()
	}
	return parsedTemplates().ExecuteTemplate(w, "page", p)
}

// page holds a report as the data of its template.
type page struct {
	Title     string
	HasOneRun bool   // the report has one run
	Simulated string // warning about simulated judges; "" for none
	Boards    []*Leaderboard
	Two       doc.Document      // comparison of two runs; empty without one; the document of [SavePage]
	People    *labels.Agreement // agreement of the judges with people's labels; nil without labels
	Pages     []*RunPage        // page of each run
	Generator template.HTML
	Policy    string // see [ContentSecurityPolicy]
	Style     template.CSS
	runTables []doc.Block // tables of several runs beside each other
}

// RunTables returns the HTML of tables of all runs beside each other: scores, settings that differ, and costs.
func (p *page) RunTables() (template.HTML, error) {
	return doc.PageContext{Prefix: "all-"}.RenderBlocks(p.runTables)
}

// Difference returns the HTML of the comparison of two runs.
func (p *page) Difference() (template.HTML, error) {
	blocks, _ := p.Two.SplitBefore("made")
	return doc.PageContext{Link: p.runPageAddress, Prefix: "compared-"}.RenderBlocks(blocks)
}

// Labels returns the HTML of the judges' agreement with people's labels; "" without labels.
func (p *page) Labels() (template.HTML, error) {
	if p.People == nil {
		return "", nil
	}
	return p.People.HTML(p.runPageAddress)
}

// SavePage writes a document to a file as HTML that needs no network, script or font.
func SavePage(path string, d doc.Document) error {
	p := pageOf(nil)
	p.Title = d.Title
	p.Two = d
	return disk.Write(path, func(w io.Writer) error { return parsedTemplates().ExecuteTemplate(w, "file-document", p) })
}

// pageOf returns the data of the template for a report of these runs.
func pageOf(runs []Run) *page {
	var scores Scores
	for _, r := range runs {
		scores.Runs = append(scores.Runs, r.Report)
	}
	names := NamesOf(scores.Runs)
	p := &page{
		Title:     fmt.Sprintf("%d runs", len(runs)),
		HasOneRun: len(runs) == 1,
		Simulated: simulatedNote(scores.Runs),
		Generator: Generator,
		Policy:    ContentSecurityPolicy,
		Style:     template.CSS(StyleSheet),
	}
	if p.HasOneRun {
		p.Title = runs[0].Judge() + " · " + runs[0].Protocol + " · " + runs[0].Dataset
	}
	terms := map[string]bool{}
	for i := range runs {
		run := NewRunPage(runs[i])
		run.DefinedTerms = terms
		if !p.HasOneRun {
			run.Name = names[i]
			run.Prefix = fmt.Sprintf("run-%d-", i+1)
			run.Link = p.runPageAddress
		}
		p.Pages = append(p.Pages, run)
	}
	if !p.HasOneRun {
		runs := scores.runsBlock()
		runs.Surfaces = doc.SurfacePage
		p.runTables = append([]doc.Block{runs, differingSettings(p.Pages)}, scores.Costs().Blocks...)
	}
	return p
}

// runPageAddress returns the address of a run's page within the report; "" for references to anything else.
func (p *page) runPageAddress(r doc.Ref) string {
	i := slices.IndexFunc(p.Pages, func(run *RunPage) bool { return len(r.Runs) == 1 && run.Run.Run == r.Runs[0] })
	if i < 0 || p.HasOneRun || r.Filter != "" {
		return ""
	}
	return "#" + p.Pages[i].Prefix + "page"
}

// simulatedNote returns a warning if some of these runs are of simulated judges; else "".
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
		return phrases.Sentence("simulated.member")
	case n == len(runs):
		return phrases.Sentence("simulated.all")
	}
	return phrases.Sentence("simulated.some", n, len(runs))
}

// differingSettings returns a table of the settings in which the runs of these pages differ.
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
				t.Rows[i].Cells = append(t.Rows[i].Cells, doc.TextCell(o.Metadatum(m.Name)))
			}
		}
	}
	return doc.Block{ID: "settings", Title: "Settings that differ", Chart: doc.ChartTableWithTerms, Table: t}
}
