// Package report lays results out as documents, pages and files. It computes no score: every number comes from package
// scoring.
package report

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/codec"
	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Scores holds the reports of the runs that `gavel score` prints.
type Scores struct {
	Runs         []scoring.Report `json:"runs"`
	NextCommands []doc.Command    `json:"-"` // commands to type next
	// ranking of several judges that were asked the same question about the same items; nil for other runs
	Board *Board `json:"-"`
	// what analyses find in several judges of the same items together
	AcrossAllJudges []Across `json:"across,omitempty"`
}

// MarshalJSON returns the JSON of the runs, each with the data of its analyses.
func (s Scores) MarshalJSON() ([]byte, error) {
	type run struct {
		scoring.Report
		Analyses map[string]any `json:"analyses,omitempty"`
	}
	out := struct {
		Runs   []run    `json:"runs"`
		Across []Across `json:"across,omitempty"`
	}{Runs: make([]run, 0, len(s.Runs)), Across: s.AcrossAllJudges}
	for _, r := range s.Runs {
		out.Runs = append(out.Runs, run{Report: r, Analyses: AnalysisData(r)})
	}
	return codec.Marshal(out)
}

// Document returns the results of the runs as a document: those of a single run, or for several runs the board or a
// table of all, and then each run.
func (s Scores) Document() doc.Document {
	if len(s.Runs) == 0 {
		return doc.Document{CSVRows: csvRowsOf(s.Runs)}
	}
	others := s.Runs[:len(s.Runs)-1]
	last := s.Runs[len(others)]
	d := NewRunPage(Run{Report: last}).Document()
	runs := slices.Clone(s.Runs)
	for _, a := range s.AcrossAllJudges {
		question := scoring.RunSetup{Dataset: a.Dataset}
		runs = append(runs, scoring.Report{Protocol: a.Protocol, RunSetup: question, Results: a.Results})
	}
	d.CSVRows = csvRowsOf(runs)
	if len(others) > 0 {
		d.Blocks = slices.Concat([]doc.Block{s.runsBlock(), s.stageRunsBlock()}, s.acrossBlocks(), d.Blocks)
	}
	if s.Board != nil {
		d = doc.Document{Answer: s.Board.Says, CSVRows: d.CSVRows}
		d.Blocks = append([]doc.Block{s.Board.block(), s.runsBlock()}, s.acrossBlocks()...)
		others = s.Runs
	}
	for _, r := range others {
		part := NewRunPage(Run{Report: r}).Document()
		head := doc.Block{Surfaces: doc.SurfaceFullText, Title: part.Title, ShowTitle: true}
		if part.Answer != "" {
			head.AddPlainNotes(strings.TrimSpace(table.LevelWithSymbol(part.Level) + " " + part.Answer + " " + part.Also))
		}
		d.Blocks = append(d.Blocks, head)
		for _, b := range part.Blocks {
			if b.Surfaces == 0 || b.Surfaces&doc.SurfaceFullText != 0 {
				b.Surfaces = doc.SurfaceFullText
				d.Blocks = append(d.Blocks, b)
			}
		}
	}
	if cost := costText(last.Ledger); cost != "" && s.Board == nil {
		t := &doc.Table{Columns: []doc.Column{{}}, Rows: []doc.Row{doc.WordRow("cost", cost)}}
		d.Blocks = append(d.Blocks, doc.Block{Surfaces: doc.SurfaceShortText, Chart: doc.ChartFacts, Table: t})
	}
	if len(s.NextCommands) > 0 {
		d.Blocks = append(d.Blocks, doc.Block{Surfaces: doc.SurfaceShortText, Commands: s.NextCommands})
	}
	return d
}

// acrossBlocks returns the tables and charts of the analyses across judges.
func (s Scores) acrossBlocks() (all []doc.Block) {
	for i, a := range s.AcrossAllJudges {
		all = append(all, a.blocks(fmt.Sprintf("across-%d-", i+1))...)
	}
	return all
}

// AcrossJudgesDocument returns a document of the analyses across judges alone.
func (s Scores) AcrossJudgesDocument() doc.Document { return doc.Document{Blocks: s.acrossBlocks()} }

// stageRunsBlock returns a table of the runs before the last, whose replies the last run uses.
func (s Scores) stageRunsBlock() doc.Block {
	t := &doc.Table{RowHead: "stages", Columns: []doc.Column{{Kind: doc.ColumnLevel}, {}}}
	for _, r := range s.Runs[:len(s.Runs)-1] {
		t.Add(doc.Row{Name: r.Model + " · " + JudgeQuestion(r), Cells: doc.Cells(
			r.Level(), r.Says,
		)})
	}
	return doc.Block{ID: "stages", Surfaces: doc.SurfaceShortText, Table: t}
}

// runsBlock returns a table with a row for each run and a column for each of its main metrics.
func (s Scores) runsBlock() doc.Block {
	t := &doc.Table{RowHead: "run", Columns: []doc.Column{{Name: "level", Kind: doc.ColumnLevel}}}
	var tiles []Tile
	for _, r := range s.Runs {
		for _, tile := range layoutOf(r.Protocol).Tiles {
			if !slices.ContainsFunc(tiles, func(o Tile) bool { return o.Metric == tile.Metric && o.Mode == tile.Mode }) {
				tiles = append(tiles, tile)
				t.Columns = append(t.Columns, doc.Column{Name: tile.Name, Kind: doc.ColumnNumber})
			}
		}
	}
	for i, name := range NamesOf(s.Runs) {
		r := &s.Runs[i]
		row := doc.Row{Name: name, N: r.Items, Cells: doc.Cells(diagnosisLevel(r))}
		for _, tile := range tiles {
			row.Cells = append(row.Cells, doc.NumberCell(tile.value(r)))
		}
		t.Add(row)
	}
	return doc.Block{
		ID:       "runs",
		Title:    table.CountWithNoun(len(s.Runs), "run"),
		About:    "95 % intervals",
		Surfaces: doc.SurfaceFullText,
		Chart:    doc.ChartTableWithTerms,
		Table:    t,
	}
}

// Costs returns a document with a table of the costs of the runs.
func (s Scores) Costs() doc.Document {
	var rows []JudgeCost
	for i, name := range NamesOf(s.Runs) {
		rows = append(rows, JudgeCost{Judge: name, Ledger: s.Runs[i].Ledger})
	}
	return doc.Document{Blocks: costBlocks(rows)}
}
