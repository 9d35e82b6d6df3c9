package server

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/markup"
	"gavel/judging"
	"gavel/scoring"
)

//go:embed templates
var templateFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// pages holds the templates of pages, and their assets: scripts, styles and images.
type pages struct {
	templates    map[string]*template.Template // by the name of the page
	assets       map[string][]byte             // contents, by the name in addresses, which contains a hash of the content
	addressNames map[string]string             // name in addresses of each file
}

// loadPages reads the templates and assets that are part of the program. folder returns the path of a run's folder.
func loadPages(folder func(run string) string) (*pages, error) {
	p := &pages{templates: map[string]*template.Template{}, assets: map[string][]byte{}, addressNames: map[string]string{}}
	files, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			return nil, err
		}
		p.addAsset(f.Name(), text)
	}
	p.addAsset("report.css", []byte(report.StyleSheet))
	common := report.Templates().Funcs(p.functions(folder))
	common, err = common.ParseFS(templateFiles, "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	all, err := fs.Glob(templateFiles, "templates/pages/*.html")
	if err != nil {
		return nil, err
	}
	for _, file := range all {
		t, err := common.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, file)
		}
		if err != nil {
			return nil, err
		}
		p.templates[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return p, nil
}

// addAsset adds an asset. Its name in addresses contains a hash of its content, so that browsers load it again if it
// changes.
func (p *pages) addAsset(file string, text []byte) {
	ext := path.Ext(file)
	name := strings.TrimSuffix(file, ext) + "-" + datasets.HexSum(text)[:12] + ext
	p.assets[name], p.addressNames[file] = text, name
}

// functions returns the functions that templates may call. Texts of models, datasets and files must go through v.
func (p *pages) functions(folder func(run string) string) template.FuncMap {
	return template.FuncMap{
		"v":        func(s any) string { return markup.MakeVisible(fmt.Sprint(s)) },
		"short":    func(n int, s string) string { return markup.Shorten(s, n) },
		"asset":    func(file string) string { return "/assets/" + p.addressNames[file] },
		"runURL":   runURL,
		"itemURL":  itemURL,
		"folder":   func(run string) string { return datasets.ShellQuote(folder(run)) },
		"jobURL":   jobURL,
		"urlpart":  url.PathEscape,
		"day":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"join":     strings.Join,
		"stamp":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"number":   groupThousands,
		"seconds":  millisecondsText,
		"duration": duration,
		"percent":  func(p float64) string { return fmt.Sprintf("%.1f %%", 100*p) },
		"query":    query,
		"result":   table.WithInterval,
		"inShort":  doc.ShortNumber,
		"metric":   doc.MetricName,
		"ends":     doc.IntervalEnds,
		"has":      slices.Contains[[]string],
		"markdown": markup.Markdown,
		"marked":   markup.MarkVerdict,
		"plain":    func(s string) string { s, _, _ = strings.Cut(s, " ("); return s },
		"facts":    scoring.Metadata,
		"manifest": manifestText,
		"share":    func(n, total int) float64 { return float64(n) / float64(max(1, total)) },
	}
}

// groupThousands returns a number with thin spaces between thousands.
func groupThousands(n int) string { return strings.ReplaceAll(humanize.Comma(int64(n)), ",", "\u202f") }

// millisecondsText returns a time of ms milliseconds in words, such as "850 ms" or "2.5 s".
func millisecondsText(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// duration returns a time of s seconds in words, such as "1m30s".
func duration(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// manifestText returns m as run.json has it.
func manifestText(m *judging.Manifest) (string, error) {
	var b bytes.Buffer
	err := codec.WriteIndented(&b, m)
	return b.String(), err
}
