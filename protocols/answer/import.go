package answer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// Files of answers that other programs made become runs of protocol answer: each row an item and a record with the
// whole reply, which is read by the same rules as a reply that gavel asked for, except that the first of several
// answers binds. What the file itself says was read is kept beside it and compared.

// importedRun is what came of importing one run.
type importedRun struct {
	imports.Run
	Rows    int      // imported
	Missing int      // of them without a reply
	Read    int      // replies in which an answer was found
	Told    int      // rows for which the file says what was read, or whether it is right
	Same    int      // of those, rows where our reading comes to the same; Differ has the others
	Notes   []string // what else there is to say, one sentence each
}

// say says what every import of answers comes to, with notes of the one that it is.
func (a *importedRun) say(notes ...string) {
	m := a.Manifest
	a.Notes = notes
	a.Say("%s: %d rows, run written to %s", m.Spec.Model.Name, a.Rows, a.Dir)
	a.Said = append(a.Said, imports.Skipped(m.Dataset.Skipped, "rows", m.Dataset.Bad)...)
	a.Said = append(a.Said, notes...)
	if a.Missing > 0 {
		a.Say("%d rows have no reply: they count as failed", a.Missing)
	}
	a.Say("answers in %d of %d", a.Read, a.Rows-a.Missing)
}

// answerRow is a row of such a file: an item and what was answerRow.
type answerRow struct {
	line    []byte // of items.jsonl
	item    datasets.Item
	replies []string // none where the file has none
	told    *string  // what the file says was read
	prompt  string   // what the file says was asked
	where   string   // row of the file, for people

	// Where the file has the verdict alone, or the replies are of a kind that the
	// protocol does not read, the verdict is taken as it stands.
	stored *judging.Verdict

	vote      imports.VoteRow     // of a pair judgment: its row
	solutions map[string]solution // of a row of solutions: those of each model
}

// answersFile is a file of answers of one model, about to become a run.
type answersFile struct {
	kind    string // of file: names the prompt, which gavel has not
	about   string // where such files come from
	dataset judging.DatasetInfo
	sha     string // of the dataset; "": of the rows' lines
	model   string
	source  *imports.Source
	options judging.Settings
	rows    []answerRow
	// check compares what we read with what the file says was read, where it says so: differ is "" where they agree,
	// else a sentence. It is called for rows with a reply.
	check func(p judging.Asker, r *judging.Record, row answerRow) (told bool, differ string)
	// refuse says why the file cannot be imported, as a row shows; nil: every row will do.
	refuse func(row answerRow) error
}

// run writes the run directory.
func (f *answersFile) run(out, gavel string) (*importedRun, error) {
	m, p := f.manifest(gavel)
	a := &importedRun{Run: imports.Run{Dir: out, Manifest: m}, Rows: len(f.rows)}
	var lines [][]byte
	var records []*judging.Record
	for _, row := range f.rows {
		rec, err := f.record(m, p, row)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.source.Path, row.where, err)
		}
		a.count(rec)
		if f.check != nil && len(row.replies) > 0 {
			a.compare(f.check(p, rec, row))
		}
		lines, records = append(lines, row.line), append(records, rec)
	}
	return a, a.Write(lines, records)
}

func (a *importedRun) count(r *judging.Record) {
	switch r.Outcome {
	case judging.Failed:
		a.Missing++
	case judging.Decided, judging.Tie:
		a.Read++
	}
}

func (a *importedRun) compare(told bool, differ string) {
	switch {
	case !told:
		return
	case differ == "":
		a.Same++
	default:
		a.Differ = append(a.Differ, differ)
	}
	a.Told++
}

// manifest names the run: by the items, the model and the whole file, so that
// another file is another run, and the same one is the same.
func (f *answersFile) manifest(gavel string) (*judging.Manifest, judging.Asker) {
	sum := sha256.New()
	for _, r := range f.rows {
		sum.Write(r.line)
		sum.Write([]byte{'\n'})
	}
	if f.sha == "" {
		f.sha = hex.EncodeToString(sum.Sum(nil))
	}
	n := len(f.rows)
	m := imports.Describe(gavel, f.about, f.source.Path, judging.Spec{
		Protocol: Protocol.Name, Goal: Protocol.Goal, Options: f.options,
		Prompt: judging.Template{Name: "imported " + f.kind, Origin: f.about, Labels: []string{}},
		Dataset: judging.DatasetSpec{
			SHA256: f.sha,
			Items:  n,
			IDs:    judging.HashIDs(n, func(i int) string { return f.rows[i].item.ID }),
		},
		Model: judging.ModelSpec{Name: f.model, Identity: fmt.Sprintf("imported %s sha256=%s", f.model, f.source.Sum[:16])},
	}, n, f.dataset)
	return m, Protocol.New(m.Spec.Prompt, m.Spec.Options)
}

// record makes a row a record.
func (f *answersFile) record(m *judging.Manifest, p judging.Asker, row answerRow) (*judging.Record, error) {
	rec := judging.NewRecord(m, row.item, p.Presentations(row.item)[0])
	rec.Presentations, rec.Imported = 1,
		&judging.Imported{Prompt: row.prompt, Decision: row.told, Stored: row.stored != nil}
	for _, text := range row.replies {
		rec.Replies = append(rec.Replies, judging.Reply{Text: text, Finish: backends.Stop})
	}
	switch {
	case row.stored != nil:
		rec.Take(*row.stored)
		return rec, nil
	case len(row.replies) == 0:
		rec.Outcome = judging.Failed
		rec.Error = "no reply in the imported file"
		rec.Imported.Missing = true
		return rec, nil
	}
	v, err := rec.Read(p, judging.Reading{Policy: judging.Unique})
	if err != nil {
		return nil, err
	}
	rec.Take(v)
	return rec, nil
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
		if f.refuse != nil {
			if err := f.refuse(row); err != nil {
				return err
			}
		}
		return f.add(row, seen)
	})
	if err != nil {
		return err
	}
	return f.reject(&bad, expected)
}

// add takes a row in, unless its id is there already: neither of two answers to
// one question can be known to be the right one.
func (f *answersFile) add(row answerRow, seen map[string]string) error {
	if first, twice := seen[row.item.ID]; twice {
		return fmt.Errorf("%s: %s: duplicate id %q, first seen in %s: remove one of the two",
			f.source.Path, row.where, row.item.ID, first)
	}
	seen[row.item.ID] = row.where
	f.rows = append(f.rows, row)
	return nil
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
