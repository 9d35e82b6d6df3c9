package judging

import (
	"errors"
	"fmt"
	"io"

	"gavel/datasets"
	"gavel/datasets/rows"
	"gavel/internal/codec"
)

// The following functions serve callers that open the files of a run themselves, such as a server that opens no file
// outside of one folder.

// DecodeRecord decodes a line of records.jsonl. A record that no run could have written is an error.
func DecodeRecord(line []byte) (*Record, error) {
	r := new(Record)
	if err := codec.FastDecode(line, r); err != nil {
		return nil, err
	}
	return r, r.check()
}

// StoredLine holds a line of a run's file and its decoded value.
type StoredLine[T any] struct {
	Value  T
	Number int   // number of the line, from 1
	Offset int64 // bytes between the start of the stream and the line
	Length int   // bytes of the line, without the newline
	Err    error // why the line cannot be read; Value is then invalid
}

// EachStored calls f for every whole line of a stream, in order. An unreadable line is passed on with its error. Empty
// lines are skipped, and so is a last line without a newline, which is still being written. decode is called from
// several goroutines and may not keep the line.
func EachStored[T any](r io.Reader, decode func([]byte) (T, error), f func(StoredLine[T]) error) error {
	parse := func(line []byte) (out StoredLine[T]) {
		if line[len(line)-1] != '\n' {
			out.Length = -1
			return out
		}
		out.Length = len(line) - 1
		if out.Length > 0 {
			out.Value, out.Err = decode(line[:out.Length])
		}
		return out
	}
	return rows.EachLine(r, parse, func(line rows.Line[StoredLine[T]]) error {
		out := line.Value
		if out.Length <= 0 {
			return nil
		}
		out.Number, out.Offset = line.Number, line.Offset
		return f(out)
	})
}

// ItemOf decodes a line of a run's items.jsonl, in the format that m names or else in the first that can read it.
func (m *Manifest) DecodeItem(line []byte) (datasets.Item, error) {
	if f, ok := datasets.FormatNamed(m.Dataset.Format); ok {
		return f.Parse(line)
	}
	for _, f := range datasets.Formats {
		if item, err := f.Parse(line); err == nil {
			return item, nil
		}
	}
	if m.Dataset.Format != "" {
		return datasets.Item{}, fmt.Errorf("items of the format %q are none that this gavel reads", m.Dataset.Format)
	}
	return datasets.Item{}, errors.New("no item of any format that gavel reads")
}

// RenderPrompt renders the prompt of a record again, from the run's protocol and the item. same reports whether it
// equals the original to the byte; it is false for imported records, whose prompt was another.
func (r *Record) RenderPrompt(p Asker, item datasets.Item, systemRole string) (prompt Prompt, same bool, err error) {
	for _, c := range r.CandidateOrder() {
		if c >= len(item.Candidates) {
			return prompt, false, fmt.Errorf("the record shows %d candidates, the item has %d: "+
				"they are not of one dataset", len(r.Order), len(item.Candidates))
		}
	}
	prompt = p.Prompt(item, r.Shown())
	return prompt, hashMessages(FirstTurnMessages(prompt, systemRole)) == r.PromptID, nil
}

// NextTurnText returns the text that asks the judge for another reply: for the label alone if the verdict is
// constrained, or else the prompt's FollowUp; "" for none.
func (p Parameters) NextTurnText(prompt Prompt) string {
	if p.constrains(prompt) {
		return prompt.LabelRequest
	}
	return prompt.FollowUp
}
