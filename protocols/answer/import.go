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
)

// Files of answers that other programs wrote become runs of protocol answer: each row becomes an item and a record with
// the whole reply. It is read by the same rules as a reply to gavel, except that the first of several answers counts.
// The file's own reading is stored too, and compared.

// answerRow is a row of a file of answers that other programs wrote: an item, whose Raw is its line in items.jsonl, and
// the answer to it.
type answerRow struct {
	item datasets.Item
	imports.StoredJudgment
	where  string // place in the file, such as "row 3"; for messages
	author string // name of the judge or model in this row; "" if the file has none

	// compareWithFile compares the answer that gavel reads from the reply with the answer or grade in the file. hasReading
	// reports whether the file has one. differ is "" if they agree, and otherwise describes the difference; messages begin
	// with where and continue with differ. It is called for rows with a reply; nil: the file has no readings.
	compareWithFile func(p judging.Asker, r *judging.Record) (hasReading bool, differ string)
}

// answersFile holds a file of answers while it is imported.
type answersFile struct {
	path                 string
	sum                  string              // SHA-256 of the file
	kind                 string              // kind of file, such as "gsm8k"; part of the prompt's name
	source               string              // origin of such files, such as "MMLU-Pro model outputs"
	dataset              judging.DatasetInfo // the dataset of the questions
	datasetSHA256        string              // SHA-256 of the dataset; "": the run's is computed from the rows
	model                string              // model or judge whose answers these are; "": the author in the rows
	severalAuthorsFormat string              // error for a file by two judges or models; both verbs are names
	options              judging.Settings    // settings of protocol answer with which replies are read
	rows                 []answerRow         // usable rows
	repeats              int                 // rows that repeat an earlier one
	bad                  imports.Rejects     // invalid rows
	unknown              []string            // ids of rows that the dataset lacks
	emptyError           error               // error of a file without usable rows, if the reason is not in bad
}

// importedRun is the result of importing one run.
type importedRun struct {
	imports.Builder
	rowsWithReading int // rows for which the file has a reading or a grade
	sameReadings    int // of these, rows where gavel reads the same; Differences lists the others
}

// run writes a run of the file's rows to the folder out and returns its summary, which ends with the importer's notes.
// gavel is the version of the program.
func (f *answersFile) run(out, gavel string, notes ...string) (*importedRun, error) {
	template := judging.Template{Name: "imported " + f.kind, Origin: f.source, Labels: []string{}}
	a := &importedRun{Builder: imports.Builder{
		Asker: Protocol.NewAsker(template, f.options), MissingError: "no reply in the imported file",
	}}
	for _, row := range f.rows {
		a.AddItem(row.item)
		r, err := a.AddJudgment(row.item, 0, row.StoredJudgment)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.path, row.where, err)
		}
		if row.compareWithFile == nil || row.Replies == nil {
			continue
		}
		hasReading, differ := row.compareWithFile(a.Asker, r)
		switch {
		case !hasReading:
			continue
		case differ == "":
			a.sameReadings++
		default:
			a.ReadingDifferences = append(a.ReadingDifferences, row.where+differ)
		}
		a.rowsWithReading++
	}
	a.SetManifest(gavel, f.source, f.path, judging.Spec{
		Protocol: Protocol.Name, Goal: Protocol.Goal, ProtocolOptions: f.options, Prompt: template,
		Dataset: judging.DatasetSpec{SHA256: f.datasetSHA256},
		Model:   judging.ModelSpec{Name: f.model, Identity: fmt.Sprintf("imported %s sha256=%s", f.model, f.sum[:16])},
	}, f.dataset)
	a.AddLine("%s: %d rows, run written to %s", f.model, len(f.rows), out)
	a.Summary = append(a.Summary, imports.SkippedRowsSummary(f.dataset.Skipped, "rows", f.dataset.BadLines)...)
	a.Summary = append(a.Summary, notes...)
	if f.repeats > 0 {
		a.AddLine("%d rows repeat an earlier row; each answer counts once", f.repeats)
	}
	if a.Missing > 0 {
		a.AddLine("%d rows have no reply: they count as failed", a.Missing)
	}
	a.AddLine("answers in %d of %d", a.VerdictCount, len(f.rows)-a.Missing)
	return a, a.Write(out)
}

// errOtherModel makes gather skip a valid row: its answer is by another model than the import asks for.
var errOtherModel = errors.New("not asked for")

// gather reads the rows of the file into f with read. It counts invalid, repeated and unknown rows, and fails if two
// rows of one id differ. expected describes usable rows, for the error of a file that has none.
func (f *answersFile) gather(expected string, read func(raw json.RawMessage) (answerRow, error)) (err error) {
	f.bad.Path = f.path
	byID := map[string]answerRow{}
	author := ""
	f.sum, err = imports.EachRow(f.path, func(n int, raw []byte) error {
		row, err := read(raw)
		if errors.Is(err, errOtherModel) {
			return nil
		}
		if err != nil {
			f.bad.Add(n, err)
			return nil
		}
		row.where = fmt.Sprintf("row %d", n)
		author = cmp.Or(author, row.author)
		if row.author != "" && row.author != author {
			return fmt.Errorf("%s: "+f.severalAuthorsFormat, row.where, row.author, author)
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
	if f.datasetSHA256 == "" {
		f.dataset.Rows = len(f.rows)
		f.dataset.Skipped = f.bad.N
		f.dataset.BadLines = f.bad.First
	}
	return err
}

// excerptAround returns the part of a reply around an offset, for messages.
func excerptAround(text string, offset int) string {
	from, to := max(0, offset-quoteBytes/2), min(len(text), offset+quoteBytes)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return "“…" + strings.Join(strings.Fields(text[from:to]), " ") + "…”"
}

// quoteBytes is the number of bytes that quote shows from the offset on; it shows half as many before the offset.
const quoteBytes = 40
