package checks

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
)

// String returns the decision in words, with the reason if nothing was found.
func (r Requirement) String() string {
	number := table.RoundedInterval(r.Found)
	if !r.Found.HasInterval() {
		number = r.Found.Note
	}
	return phrases.Sentence("check.found", r.Verdict, r.Name, number, r.RequirementText)
}

// Document returns the check as one page: the requirements, what changed since the baseline, and what to do.
func (c *Check) Document() doc.Document {
	columns := doc.ColumnsOfKind(doc.ColumnNumber, "found, %", "difference")
	unit := c.Requirements[0].Found.Unit
	columns[0].Axis = doc.AxisForUnit(unit)
	if unit != "" {
		columns[0].Name = "found"
	}
	columns[1].Axis = doc.DifferenceAxis()
	columns = append(columns, doc.ColumnsOfKind(doc.ColumnWords, "required", "verdict", "items")...)
	t := &doc.Table{RowHead: "requirement", Columns: columns}
	for _, r := range c.Requirements {
		required := &scoring.Result{Unit: r.Found.Unit, Low: &r.minRequired, High: &r.maxRequired}
		value := doc.Value{Result: r.Found, Reference: required}
		cells := doc.Cells(value, "", r.RequirementText, string(r.Verdict), r.JudgedItems)
		if r.metric == "" {
			cells[0], cells[1] = cells[1], cells[0]
		}
		t.Add(doc.Row{Name: r.Name, Look: "check-" + string(r.Verdict), Cells: cells})
	}
	t.DropEmpty()
	var changed []string
	parts := &doc.Table{RowHead: "what changed", Columns: doc.ColumnsOfKind(doc.ColumnWords, "baseline", "now", "changed")}
	for _, name := range slices.Sorted(maps.Keys(c.Identity)) {
		row := doc.WordRow(name, c.BaselineIdentity[name], c.Identity[name], "changed")
		if c.BaselineIdentity == nil || c.BaselineIdentity[name] == c.Identity[name] {
			row.Surfaces = doc.SurfaceAllButShort
			row.Cells[2].Text = ""
		} else {
			changed = append(changed, name)
		}
		parts.Add(row)
	}
	change := doc.Block{ID: "change", Title: "Did the judge change, or the answers?"}
	if x := c.Change; x != nil {
		change.Table = x.table()
		change.Remark("check.change-" + x.Verdict)
		change.Remark("check.anchors", x.InconsistentAnchors, x.AnchorItems, table.PValue(&x.P))
	}
	details := ""
	if changed != nil {
		details = phrases.Sentence("check.changed", table.Enumerate(changed))
	}
	run := datasets.ShellQuote(c.Run)
	return doc.Document{
		Title:  phrases.Sentence("check.title", c.File, c.Model, c.Dataset, c.Verdict),
		Answer: c.Says + ".",
		Also:   details,
		Blocks: []doc.Block{
			{
				ID:    "requirements",
				Title: "Requirements",
				Table: t,
				Keys:  []doc.LegendEntry{{Sign: "required", Words: "required"}, {Sign: "interval", Words: "found"}},
				Notes: []doc.Note{doc.PhraseNote("check.levels", 100*c.ConfidenceLevel, c.Calls)},
			},
			{ID: "parts", Title: "What changed since the baseline", Table: parts, Chart: doc.ChartTableWithTerms},
			change,
			{ID: "earlier", Title: "Earlier checks", Surfaces: doc.SurfaceAllButShort, Table: c.earlierTable()},
			{ID: "todo", Title: "What to do", Surfaces: doc.SurfaceAllButShort, Notes: []doc.Note{
				doc.PhraseNote("check.todo", run, datasets.ShellQuote(c.File), run),
			}},
		},
		Data: c,
	}
}

// earlierTable returns a table of the earlier checks: their verdicts, and what they found.
func (c *Check) earlierTable() *doc.Table {
	t := &doc.Table{RowHead: "check", Columns: doc.ColumnsOfKind(doc.ColumnWords, "verdict")}
	for _, r := range c.Requirements {
		t.Columns = append(t.Columns, doc.Column{Name: r.Name, Kind: doc.ColumnBareNumber})
	}
	for _, check := range c.earlier {
		found := map[string]scoring.Result{}
		for _, r := range check.Requirements {
			found[r.Name] = r.Found
		}
		row := doc.WordRow(filepath.Base(check.Run), string(check.Verdict))
		for _, r := range c.Requirements {
			row.Cells = append(row.Cells, doc.NumberCell(found[r.Name]))
		}
		t.Add(row)
	}
	return t
}

// readEarlier reads the checks of the same file in the folders beside dir.
func (c *Check) readEarlier(dir string) {
	paths, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", checkFile)) // without them there is no table
	for _, path := range paths {
		var check Check
		raw, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(raw, &check) == nil && check.File == c.File && check.Run != c.Run {
			check.Run = filepath.Dir(path)
			c.earlier = append(c.earlier, check)
		}
	}
}

// checkFile is the name of the file that [Check.Save] writes for programs.
const checkFile = "check.json"

// Save writes the check to the folder dir, as JSON and as a page.
func (c *Check) Save(dir string) error {
	return cmp.Or(judging.WriteJSON(filepath.Join(dir, checkFile), c), report.SavePage(dir+"/check.html", c.Document()))
}

// WriteJUnit writes a test case for each requirement of the file: a failure if it is missed, skipped if it is
// undecided, and an error if the check ended with err.
func (c *Check) WriteJUnit(w io.Writer, err error) error {
	return fileTemplates.ExecuteTemplate(w, "junit.tmpl", map[string]any{"Check": c, "Err": err})
}
