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

// Files of answers that other programs wrote become runs of protocol answer: each row becomes an item and a record with
// the whole reply. It is read by the same rules as a reply to gavel, except that the first of several answers counts.
// The file's own reading is stored too, and compared.

// answerRow is a row of a file of answers: an item, whose Raw is its line in items.jsonl, and the answer to it.
type answerRow struct {
	item datasets.Item
	imports.StoredJudgment
	where  string // place in the file, for messages
	author string // judge or model, if the file names it in each row

	// check compares gavel's reading with the file's. hasReading reports whether the file has one. differ is "" if they
	// agree, and otherwise describes the difference, to follow where. check is called for rows with a reply; nil: the
	// file has no readings.
	check func(p judging.Asker, r *judging.Record) (hasReading bool, differ string)
}

// answersFile holds a file of answers while it is imported.
type answersFile struct {
	path           string
	sum            string // SHA-256 of the file
	kind           string // of file; names the prompt, which is not known
	source         string // where such files come from
	dataset        judging.DatasetInfo
	sha            string // of the dataset; "": computed from the rows
	model          string
	severalAuthors string // the error of a file by several judges or models, whose names are %q
	options        judging.Settings
	rows           []answerRow
	repeats        int             // rows that repeat an earlier one
	bad            imports.Rejects // invalid rows
	unknown        []string        // ids that the dataset does not have
	emptyError     error           // why no row can be used, if the reason is not in bad
}

// importedRun is the result of importing one run.
type importedRun struct {
	imports.Builder
	readings int // rows for which the file has a reading or a grade
	same     int // those where gavel's reading agrees; Differ lists the others
}

// run writes the run directory and returns the summary of the import, with the importer's notes.
func (f *answersFile) run(out, gavel string, notes ...string) (*importedRun, error) {
	template := judging.Template{Name: "imported " + f.kind, Origin: f.source, Labels: []string{}}
	a := &importedRun{Builder: imports.Builder{
		Asker: Protocol.New(template, f.options), MissingError: "no reply in the imported file",
	}}
	for _, row := range f.rows {
		a.Add(row.item)
		r, err := a.Judge(row.item, 0, row.StoredJudgment)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.path, row.where, err)
		}
		if row.check == nil || row.Replies == nil {
			continue
		}
		hasReading, differ := row.check(a.Asker, r)
		switch {
		case hasReading && differ == "":
			a.same++
		case hasReading:
			a.Differences = append(a.Differences, row.where+differ)
		}
		a.readings += int(scoring.Indicator(hasReading))
	}
	// The run id depends on the items, the model and the whole file: the same file gives the same run, another file
	// another one.
	a.Describe(gavel, f.source, f.path, judging.Spec{
		Protocol: Protocol.Name, Goal: Protocol.Goal, Options: f.options, Prompt: template,
		Dataset: judging.DatasetSpec{SHA256: f.sha},
		Model:   judging.ModelSpec{Name: f.model, Identity: fmt.Sprintf("imported %s sha256=%s", f.model, f.sum[:16])},
	}, f.dataset)
	a.AddLine("%s: %d rows, run written to %s", f.model, len(f.rows), out)
	a.Summary = append(a.Summary, imports.SkippedLines(f.dataset.Skipped, "rows", f.dataset.Bad)...)
	a.Summary = append(a.Summary, notes...)
	if f.repeats > 0 {
		a.AddLine("%d rows repeat an earlier row; each answer counts once", f.repeats)
	}
	if a.Missing > 0 {
		a.AddLine("%d rows have no reply: they count as failed", a.Missing)
	}
	a.AddLine("answers in %d of %d", a.Read, len(f.rows)-a.Missing)
	return a, a.Write(out)
}

// errOther is the error of a valid row that is not part of the run.
var errOther = errors.New("not asked for")

// gather reads the rows of the file. expected describes them for the error of a file without a usable row.
func (f *answersFile) gather(expected string, read func(raw json.RawMessage) (answerRow, error)) (err error) {
	f.bad.Path = f.path
	byID := map[string]answerRow{}
	author := ""
	f.sum, err = imports.EachRow(f.path, func(n int, raw []byte) error {
		row, err := read(raw)
		if errors.Is(err, errOther) {
			return nil
		}
		if err != nil {
			f.bad.Add(n, err)
			return nil
		}
		row.where = fmt.Sprintf("row %d", n)
		author = cmp.Or(author, row.author)
		if row.author != "" && row.author != author {
			return fmt.Errorf("%s: "+f.severalAuthors, row.where, row.author, author)
		}
		if row.item.Shape == "" {
			f.unknown = append(f.unknown, row.item.ID)
			return nil
		}
		first, twice := byID[row.item.ID]
		switch {
		case twice && reflect.DeepEqual(first.StoredJudgment, row.StoredJudgment):
			f.repeats++
			return nil
		case twice: // either may be the right one
			return fmt.Errorf("%s: duplicate id %q, first seen in %s: remove one of the two",
				row.where, row.item.ID, first.where)
		}
		byID[row.item.ID] = row
		f.rows = append(f.rows, row)
		return nil
	})
	if err == nil && len(f.rows) == 0 {
		err = cmp.Or(f.emptyError, f.bad.NoRowsError(expected))
		if n := len(f.unknown); n > 0 {
			err = fmt.Errorf("%s: none of its %d ids is one of %s (the first is %q)", f.path, n, f.dataset.Name, f.unknown[0])
		}
	}
	f.model = cmp.Or(f.model, author)
	if f.sha == "" {
		f.dataset.Rows = len(f.rows)
		f.dataset.Skipped = f.bad.N
		f.dataset.Bad = f.bad.First
	}
	return err
}

// quote returns the part of a reply around an offset, for messages.
func quote(text string, offset int) string {
	from, to := max(0, offset-quoteBytes/2), min(len(text), offset+quoteBytes)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return "“…" + strings.Join(strings.Fields(text[from:to]), " ") + "…”"
}

// quoteBytes is the approximate length of a quote.
const quoteBytes = 40
