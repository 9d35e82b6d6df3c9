// Package protocoltest has helpers for the tests of the protocols: jobs, runs, and checks of readings. Only tests
// import it.
package protocoltest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"

	"gotest.tools/v3/assert"
)

// Records collects the records that a job writes.
type Records = judgingtest.RecordCollector[*judging.Record]

// Job returns a job that asks client all items of set with a protocol's first prompt, one item at a time, and the
// recorder that collects its records.
func Job(
	p judging.Protocol, settings judging.Settings, set *datasets.Set, client backends.Client,
) (*judging.RunJob, *Records) {
	w := &Records{}
	spec := judging.Spec{
		Protocol: p.Name, Goal: p.GoalOf(settings), Prompt: p.Templates[0], ProtocolOptions: settings,
		Dataset: judging.DatasetSpec{SHA256: set.SHA256, Items: set.Len(), IDsHash: "ids"},
		Model:   judging.ModelSpec{Name: "judge", Identity: "test judge"}, Parameters: judging.DefaultParameters,
	}
	return &judging.RunJob{
		Manifest:    judging.NewManifest("test", spec),
		Asker:       p.NewAsker(p.Templates[0], settings),
		Set:         set,
		Rows:        judgingtest.FirstIndexes(set.Len()),
		Client:      client,
		Concurrency: 1,
		Write:       w.Write,
	}, w
}

// MakeAnswerRun makes a run of protocol answer over set and returns its folder. reply returns the model's reply to the
// item of an id. The test has to register the protocol.
func MakeAnswerRun(
	t testing.TB, set *datasets.Set, model string, reply func(id string) (backends.Response, error),
) string {
	t.Helper()
	answer, err := judging.ProtocolNamed("answer")
	assert.NilError(t, err)
	j, w := Job(answer, nil, set,
		judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
			return reply(strings.TrimPrefix(req.Oracle.Item, "answer to "))
		}))
	j.Manifest.Spec.Model = judging.ModelSpec{Name: model, Identity: "test " + model}
	j.MaxConsecutiveFailures = 1 << 30
	assert.NilError(t, j.Run(t.Context()))
	return writeRun(t, "run", j.Manifest, w.Records, set.Len(), set.Raw)
}

// writeRun writes a run of n items to a temporary folder and returns the folder. raw returns the line of item i.
func writeRun(
	t testing.TB, name string, m *judging.Manifest, records []*judging.Record, n int, raw func(i int) ([]byte, error),
) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	assert.NilError(t, judging.WriteRun(dir, m, records, func(line func([]byte) error) error {
		for i := range n {
			text, err := raw(i)
			if err == nil {
				err = line(text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return dir
}

// ReadAnswers reads the model's answers from the folder of a run of protocol answer.
func ReadAnswers(t testing.TB, dir string) *judging.ModelAnswers {
	t.Helper()
	a, err := judging.ReadAnswers(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	return a
}

// ReadReplyTable reads rows of replies and expected values from a file, with " | " between columns. The last column is
// a reply, in which ⏎ stands for a line end; a reply that begins with a quotation mark is quoted as in Go. Lines that
// begin with # are comments.
func ReadReplyTable(t testing.TB, file string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	assert.NilError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", columns)
		assert.Equal(t, len(row), columns, line)
		reply := &row[columns-1]
		*reply = strings.ReplaceAll(*reply, "⏎", "\n")
		if strings.HasPrefix(*reply, `"`) {
			*reply, err = strconv.Unquote(*reply)
			assert.NilError(t, err, line)
		}
		rows = append(rows, row)
	}
	assert.Assert(t, len(rows) > 0, file)
	return rows
}

// CheckRecordRoundTrip encodes a record as its line of records.jsonl and returns the error of reading the line back.
func CheckRecordRoundTrip(r *judging.Record) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = judging.DecodeRecord(line)
	}
	return err
}

// DropVerdictSpan returns a verdict without its place in the reply, after checking that the label is at that place.
func DropVerdictSpan(t testing.TB, reply string, v judging.Verdict) judging.Verdict {
	t.Helper()
	span := v.Span
	switch {
	case span.Start < 0 || span.Start > span.End || span.End > len(reply):
		t.Errorf("%q reads as %+v, beyond its end", reply, v)
	case span.IsZero() != (v.Label+v.Answer == "" && v.Outcome != judging.Conflict):
		t.Errorf("%q reads as %+v, which stands nowhere, or should", reply, v)
	case !strings.Contains(reply[span.Start:span.End], v.Label) &&
		!strings.ContainsFunc(reply[span.Start:span.End], func(r rune) bool { return r > 127 }):
		t.Errorf("%q reads as %+v, and there stands %q", reply, v, reply[span.Start:span.End])
	}
	v.Span = judging.Span{}
	return v
}

// PairsRun makes a pairwise run of n pairs, p001 and on, and returns its folder. verdict returns the judge's verdict on
// an item (from 0) in order 0 or 1: "A", "B", "tie", or "" for none. edit changes the finished records.
func PairsRun(
	t testing.TB, name string, n int, verdict func(item, showing int) string, edit ...func(item int, r *judging.Record),
) string {
	t.Helper()
	p, err := judging.ProtocolNamed("pairwise")
	assert.NilError(t, err)
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pairwise", Goal: "better", Prompt: p.Templates[0], Dataset: judging.DatasetSpec{Items: n},
		Model: judging.ModelSpec{Name: name, Identity: name}, Parameters: judging.DefaultParameters,
	})
	m.Judgments = 2 * n
	m.Status = judging.Complete
	m.Dataset.Name = "test"
	asker, err := judging.AskerOf(m)
	assert.NilError(t, err)
	var records []*judging.Record
	for i := range n {
		item := judgingtest.PairItem(fmt.Sprintf("p%03d", i+1), i%2)
		for _, s := range asker.Presentations(item) {
			r := judging.NewRecord(m, item, s)
			r.Presentations = 2
			label := verdict(i, s.Index)
			text := map[string]string{
				"": "I cannot tell.", "tie": "[[A=B]]", r.Order[0]: "[[A>B]]", r.Order[1]: "[[B>A]]",
			}[label]
			r.Replies = []judging.Reply{{Text: text, Finish: backends.FinishStop}}
			v, err := r.Read(asker, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
			assert.NilError(t, err)
			r.SetVerdict(v)
			for _, change := range edit {
				change(i, r)
			}
			records = append(records, r)
		}
	}
	return writeRun(t, name, m, records, n, func(i int) ([]byte, error) {
		return fmt.Appendf(nil, `{"pair_id": "p%03d", "source": "sums", "question": "What is 2 + 2?", `+
			`"response_model": "m", "response_A": "It is 4.", "response_B": "It is 5.", "label": %q}`,
			i+1, []string{"A>B", "B>A"}[i%2]), nil
	})
}
