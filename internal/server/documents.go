package server

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
)

// RunItems reads the items of a run for `gavel items` and `gavel show`: its documents have the same numbers, filters
// and JSON as the server's pages.
type RunItems struct {
	*store.Index
	title string    // of the documents: judge, question and dataset
	view  ItemsView // the list of items without the items: filters and counts
}

// OpenItems opens the run in the folder dir.
func OpenItems(ctx context.Context, dir string) (*RunItems, error) {
	dir, err := filepath.EvalSymlinks(dir) // the store does not follow a link out of its folder
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	runs, err := store.Open(filepath.Dir(dir), time.Now)
	if err != nil {
		return nil, err
	}
	x, err := runs.Index(ctx, filepath.Base(dir))
	if err != nil {
		return nil, err
	}
	v := ItemsView{Run: headOf(x.Run, x.Manifest), Total: x.Len(), Row: RunRow{manifest: x.Manifest}}
	v.fillChoices(x)
	title := v.Run.Judge() + " · " + v.Run.asks() + " · " + v.Run.ItemsOf
	return &RunItems{Index: x, title: title, view: v}, nil
}

// List returns a document of the items that match a filter. Its text has the first f.Per of them (0: all), those wrong
// every time first; its JSON and CSV have all, in the order of the run.
func (r *RunItems) List(f ItemsFilter) (d doc.Document, err error) {
	if f.Group != "" && itemCountOfChoice(r.view.Groups, f.Group) == 0 {
		return d, failure.NotFound("no item is of the group %q", f.Group)
	}
	v := r.view
	v.Items = []itemRow{}
	d.CSVRows = append(d.CSVRows, strings.Fields("item group facts verdicts question"))
	ranks := f.sortedMatches(r.Index, nil)
	all := slices.Concat(ranks[:]...)
	for _, i := range slices.Sorted(slices.Values(all)) {
		row := itemRowOf(r.Index, i, f)
		v.Items = append(v.Items, row)
		var verdicts []string
		for _, g := range row.Judgments {
			verdicts = append(verdicts, cmp.Or(g.Choice, g.Outcome))
		}
		d.CSVRows = append(d.CSVRows, []string{
			row.ID, row.Group, strings.Join(row.Flags, " "), strings.Join(verdicts, " "), row.Question,
		})
	}
	v.Filter = f
	v.Filter.Per = len(all)
	v.Matches = len(all)
	v.Pages = 1
	d.Title = r.title
	d.Answer = v.Says()
	d.Data = v
	if f.Show == "wrong" && len(ranks[0]) > 0 {
		d.Also = phrases.Sentence("items.confident", len(ranks[0]), everyJudgmentWords(r.Manifest))
	}
	if f.Per > 0 {
		all = all[:min(f.Per, len(all))]
	}
	for _, i := range all {
		item, err := itemViewOf(r.Index, i)
		if err != nil {
			return d, err
		}
		d.Blocks = append(d.Blocks, item.block(true))
	}
	notes := append(doc.WarningNotes(r.LineErrors), doc.PhraseNote("items.more", len(all), v.Matches))
	d.Blocks = append(d.Blocks, doc.Block{Notes: notes})
	return d, nil
}

// ItemDocument returns a document of the item with this number, with its judgments. Prompts and the judge's thinking
// are in the full text only.
func (r *RunItems) ItemDocument(i int) (doc.Document, error) {
	v, err := itemViewOf(r.Index, i)
	return doc.Document{
		Title: r.title, Answer: v.Says(), Also: v.Problem, Data: v, Blocks: []doc.Block{v.block(false)},
	}, err
}

// block returns a table with the texts of the item and of its judgments. short puts each text on one line, without its
// middle if it is long.
func (v ItemView) block(short bool) doc.Block {
	t := &doc.Table{Columns: doc.ColumnsOfKind(doc.ColumnWords, "")}
	add := func(in doc.Surface, name, text string) {
		lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(markup.MakeVisible(text)), "\t", "    "), "\n")
		if short {
			line := strings.Join(strings.Fields(text), " ")
			if len(line) > 240 {
				line = line[:160] + " … " + line[len(line)-80:]
			}
			lines = []string{markup.Shorten(line, len(line))}
		}
		for _, line := range lines {
			if text != "" {
				t.Add(doc.Row{Name: name, Surfaces: in, Cells: doc.Cells(line)})
			}
			name = ""
		}
	}
	if v.Item != nil {
		add(0, "question", v.Item.Question)
		for _, c := range v.Item.Candidates {
			add(0, c.ID, c.Text)
		}
		if v.Item.Answered != nil {
			add(0, "answer", v.Item.Answered.Text)
		}
	}
	add(0, "correct", cmp.Or(v.Asked.Right, "unknown"))
	for _, g := range v.Judgments {
		if !short {
			t.Add(doc.WordRow("", ""))
			add(doc.SurfaceFullText, "system", g.System)
			add(doc.SurfaceFullText, "prompt", g.User)
		}
		name := cmp.Or(g.Mode, strings.Join(g.Words.Shown, ", "), "verdict")
		verdict := g.Mark().Sign + " " + g.Words.Says
		if g.Words.Swapped && g.Words.Names != nil {
			verdict += " (" + strings.Join(g.Words.Names, ", ") + ")"
		}
		add(0, name, verdict+" "+g.Error)
		for _, turn := range g.Turns {
			add(0, "then asked", turn.Said)
			add(doc.SurfaceFullText, "thinking", turn.Thinking)
			add(0, "reply", turn.Text)
			add(0, "ended", strings.TrimPrefix(string(turn.Finish), "stop")+turn.Detail)
		}
	}
	var words []string
	for _, name := range v.Flags {
		words = append(words, store.FindFilter(name).Words)
	}
	title := v.ID + " · " + v.Group + " · " + strings.Join(words, ", ")
	return doc.Block{Title: title, ShowTitle: true, Table: t}
}
