package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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
	where string // the row's place in the file, for messages
	by    string // judge or model, if the file names it in every row

	// check compares our reading with the one that the file has. told is whether the file has one; differ is "" if the
	// two agree, else a description of the difference, to follow where. check is called for rows with a reply; nil: the
	// file has no readings.
	check func(p judging.Asker, r *judging.Record) (told bool, differ string)
}

// answersFile is a file of answers of one model, about to become a run.
type answersFile struct {
	path    string
	sum     string // SHA-256 of the file
	kind    string // of file: names the prompt, which gavel has not
	about   string // where such files come from
	dataset judging.DatasetInfo
	sha     string // of the dataset; "": of the rows' lines
	model   string
	alone   string // the error of a file by several judges or models, whose names are %q
	options judging.Settings
	rows    []answerRow
	repeats int             // rows that say again what one before them says
	bad     imports.Rejects // rows that are no answers
	unknown []string        // ids of questions that the dataset has not
	none    error           // why no row can be used, if the reason is not in bad
}

// importedRun summarises the import of one run.
type importedRun struct {
	imports.Making
	told int // rows for which the file has a reading, or says whether the answer is right
	same int // rows of these where our reading agrees; Differ has the others
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
			return nil, fmt.Errorf("%s: %s: %w", f.path, row.where, err)
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
	a.Describe(gavel, f.about, f.path, judging.Spec{
		Protocol: Protocol.Name, Goal: Protocol.Goal, Options: f.options, Prompt: template,
		Dataset: judging.DatasetSpec{SHA256: f.sha},
		Model:   judging.ModelSpec{Name: f.model, Identity: fmt.Sprintf("imported %s sha256=%s", f.model, f.sum[:16])},
	}, f.dataset)
	a.Say("%s: %d rows, run written to %s", f.model, len(f.rows), out)
	a.Said = append(a.Said, imports.Skipped(f.dataset.Skipped, "rows", f.dataset.Bad)...)
	a.Said = append(a.Said, notes...)
	if f.repeats > 0 {
		a.Say("%d rows repeat an earlier row; each answer counts once", f.repeats)
	}
	if a.Missing > 0 {
		a.Say("%d rows have no reply: they count as failed", a.Missing)
	}
	a.Say("answers in %d of %d", a.Read, len(f.rows)-a.Missing)
	return a, a.Write(out)
}

// errOther is the error of a row that is no part of the run, though nothing is wrong with it.
var errOther = errors.New("not asked for")

// gather reads the rows of the file; expected describes them, for a file in which none can be used.
func (f *answersFile) gather(expected string, read func(raw json.RawMessage) (answerRow, error)) (err error) {
	f.bad.Path = f.path
	seen := map[string]answerRow{}
	by := ""
	f.sum, err = imports.Each(f.path, func(n int, raw []byte) error {
		row, err := read(raw)
		if errors.Is(err, errOther) {
			return nil
		}
		if err != nil {
			f.bad.Add(n, err)
			return nil
		}
		row.where = fmt.Sprintf("row %d", n)
		by = cmp.Or(by, row.by)
		if row.by != "" && row.by != by {
			return fmt.Errorf("%s: "+f.alone, row.where, row.by, by)
		}
		if row.item.Shape == "" {
			f.unknown = append(f.unknown, row.item.ID)
			return nil
		}
		first, twice := seen[row.item.ID]
		switch {
		case twice && reflect.DeepEqual(first.Judgment, row.Judgment):
			f.repeats++
			return nil
		case twice: // nobody can know which of the two is right
			return fmt.Errorf("%s: duplicate id %q, first seen in %s: remove one of the two",
				row.where, row.item.ID, first.where)
		}
		seen[row.item.ID] = row
		f.rows = append(f.rows, row)
		return nil
	})
	if err == nil && len(f.rows) == 0 {
		err = cmp.Or(f.none, f.bad.None(expected))
		if n := len(f.unknown); n > 0 {
			err = fmt.Errorf("%s: none of its %d ids is one of %s (the first is %q)", f.path, n, f.dataset.Name, f.unknown[0])
		}
	}
	f.model = cmp.Or(f.model, by)
	if f.sha == "" {
		f.dataset.Rows = len(f.rows)
		f.dataset.Skipped = f.bad.N
		f.dataset.Bad = f.bad.First
	}
	return err
}

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
