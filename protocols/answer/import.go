package answer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/scoring"
)

// Files of answers that other programs made become runs of protocol answer: each row an item and a record with the
// whole reply, which is read by the same rules as a reply that gavel asked for, except that the first of several
// answers binds. What the file itself says was read is kept beside it and compared.

// answerRow is a row of a file of answers: an item, whose Raw is its line in items.jsonl, and the answer to it.
type answerRow struct {
	item datasets.Item
	imports.Judgment
	where string // row of the file, for people
	judge string // of a file that names it in every row

	// check compares our reading with the one that the file has. told is whether the file has one; differ is "" if the
	// two agree, else a description of the difference, to follow where. check is called for rows with a reply; nil: the
	// file has no readings.
	check func(p judging.Asker, r *judging.Record) (told bool, differ string)
}

// answersFile is a file of answers of one model, about to become a run.
type answersFile struct {
	source  *imports.Source
	kind    string // of file: names the prompt, which gavel has not
	about   string // where such files come from
	dataset judging.DatasetInfo
	sha     string // of the dataset; "": of the rows' lines
	model   string
	options judging.Settings
	rows    []answerRow
}

// importedRun summarises the import of one run.
type importedRun struct {
	imports.Making
	told int // rows for which the file says what was read, or whether it is right
	same int // of those, rows where our reading comes to the same; Differ has the others
}

// run writes the run directory, and returns the summary of the import, with the importer's own notes.
func (f *answersFile) run(out, gavel string, notes ...string) (*importedRun, error) {
	template := judging.Template{Name: "imported " + f.kind, Origin: f.about, Labels: []string{}}
	a := &importedRun{Making: imports.Making{
		Asker: Protocol.New(template, f.options), Lack: "no reply in the imported file",
	}}
	for _, row := range f.rows {
		a.Add(row.item)
		r, err := a.Judge(row.item, 0, row.Judgment)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.source.Path, row.where, err)
		}
		if row.check == nil || row.Replies == nil {
			continue
		}
		told, differ := row.check(a.Asker, r)
		switch {
		case told && differ == "":
			a.same++
		case told:
			a.Differ = append(a.Differ, row.where+differ)
		}
		a.told += int(scoring.One(told))
	}
	// The run id depends on the items, the model and the whole file: another file is another run, the same file the
	// same run.
	a.Describe(gavel, f.about, f.source.Path, judging.Spec{
		Protocol: Protocol.Name, Goal: Protocol.Goal, Options: f.options, Prompt: template,
		Dataset: judging.DatasetSpec{SHA256: f.sha},
		Model:   judging.ModelSpec{Name: f.model, Identity: fmt.Sprintf("imported %s sha256=%s", f.model, f.source.Sum[:16])},
	}, f.dataset)
	a.Say("%s: %d rows, run written to %s", f.model, len(f.rows), out)
	a.Said = append(a.Said, imports.Skipped(f.dataset.Skipped, "rows", f.dataset.Bad)...)
	a.Said = append(a.Said, notes...)
	if a.Missing > 0 {
		a.Say("%d rows have no reply: they count as failed", a.Missing)
	}
	a.Say("answers in %d of %d", a.Read, len(f.rows)-a.Missing)
	return a, a.Write(out)
}

// gather takes the rows of the source in; expected says what they are to be, where none can be used.
func (f *answersFile) gather(expected string, read func(raw json.RawMessage) (answerRow, error)) error {
	bad := imports.Rejects{Path: f.source.Path}
	seen := map[string]string{}
	err := f.source.Each(func(n int, raw json.RawMessage) error {
		row, err := read(raw)
		if err != nil {
			bad.Add(n, err)
			return nil
		}
		row.where = rowNumber(n)
		if len(f.rows) > 0 && row.judge != f.rows[0].judge {
			return fmt.Errorf("%s: judge is %q, before it was %q: one judge a file", row.where, row.judge, f.rows[0].judge)
		}
		// nobody can know which of two answers to one question is the right one
		if first, twice := seen[row.item.ID]; twice {
			return fmt.Errorf("%s: duplicate id %q, first seen in %s: remove one of the two", row.where, row.item.ID, first)
		}
		seen[row.item.ID] = row.where
		f.rows = append(f.rows, row)
		return nil
	})
	if err != nil {
		return err
	}
	return f.reject(&bad, expected)
}

// reject notes the rows that were left out.
func (f *answersFile) reject(b *imports.Rejects, expected string) error {
	if len(f.rows) == 0 {
		return b.None(expected)
	}
	f.dataset.Rows = len(f.rows)
	f.dataset.Skipped = b.N
	f.dataset.Bad = b.First
	return nil
}

// parsed parses a line of a dataset.
func parsed(format datasets.Format, line []byte) (datasets.Item, error) {
	item, err := format.Parse(line)
	item.Raw = line
	return item, err
}

// rowNumber names a row of a file.
func rowNumber(n int) string { return fmt.Sprintf("row %d", n) }

// quote is the part of a reply that begins at a byte, to show what was read.
func quote(text string, at int) string {
	from, to := max(0, at-quoted/2), min(len(text), at+quoted)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return "“…" + strings.Join(strings.Fields(text[from:to]), " ") + "…”"
}

// quoted is about how many bytes are shown.
const quoted = 40
