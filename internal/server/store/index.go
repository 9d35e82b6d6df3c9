package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/judging"
	_ "gavel/protocols" // runs name them
)

// An Index holds where a run's records and items lie in its files, with the values of each that lists and filters need.
// It describes one state of the files and never changes. Items are numbered from 0, in the order of their file.
type Index struct {
	Run        string // name: the run's folder below the folder of runs
	Manifest   *judging.Manifest
	Asker      judging.Asker // the run's protocol, which reads replies
	Counts     RecordCounts
	Alarm      string   // warning from the first judgments, see [judging.Alarms]; "" for none
	LineErrors []string // errors of the first lines that cannot be read

	store       *Store
	stamps      Stamps // state of the run's files that the index describes
	items       []item
	itemNumbers map[string]int    // number of each item, by its id
	judgments   []IndexedJudgment // of all items, in the order of the records
	recordsFile fs.FileInfo       // the file of records as it was read; nil if there is none
	bytesRead   int64             // bytes of the records read so far
	linesRead   int               // linesRead of the records read so far
	alarms      *judging.Alarms   // watches the records for problems, and makes Alarm
}

// linePosition holds the position of a line in its file, in bytes.
type linePosition struct {
	offset int64
	length int // 0 if the file does not have the line
}

// item holds the values of an item that lists need.
type item struct {
	id, group string
	line      linePosition // position of the item in items.jsonl
	judgments []int        // indexes of the item's judgments in Index.judgments
}

// IndexedJudgment holds the values of a record, which is one judgment, that lists and filters need.
type IndexedJudgment struct {
	OrderKey       string          // mode and candidates in the order shown, see [OrderKey]
	Presentation   int             // number of the mode and order in which the candidates were shown, from 0
	Repetition     int             // which time the same presentation was asked, from 0
	Outcome        judging.Outcome // how the judgment ended, by reading the stored replies again
	Choice         int             // index of the chosen candidate in the item; -1 for none
	ChosenPosition int             // where the chosen candidate was shown, from 0; -1 if nowhere
	Right          Rightness       // whether the verdict is correct
	OwnAnswer      Rightness       // whether the judge's own answer to the question is correct
	Mode           string          // kind of prompt, such as "cot" and "self"; "" if there is one kind

	line           linePosition // position of the record in records.jsonl
	item           int          // number of the item
	began          time.Time    // start of the judgment
	milliseconds   float64      // time of all replies; 0 if unknown, or if one came from the cache
	replyTokens    int          // generated for all replies; 0 if one came from the cache
	presentations  int          // number of presentations of the item
	candidateCount int          // number of candidates shown
	score          float64      // of the candidate shown first, see [judging.Template.ScaleValue]
	firstIsGold    bool         // the candidate shown first is the labelled one
}

// namesCandidate reports whether the verdict names a candidate.
func (g IndexedJudgment) namesCandidate() bool { return g.Outcome == judging.Decided }

// Rightness holds whether a verdict or answer is correct. Known is false if there is no label to compare it with.
type Rightness struct{ Correct, Known bool }

// RecordCounts holds sums over the records of a run.
type RecordCounts struct {
	Records             int            `json:"records"`
	Outcomes            map[string]int `json:"outcomes"`
	Replies             int            `json:"replies"`
	Cached              int            `json:"cached_replies"` // of Replies, those from gavel's cache
	PromptTokens        int            `json:"prompt_tokens"`
	ReplyTokens         int            `json:"reply_tokens"`
	Milliseconds        float64        `json:"reply_ms" jsonschema:"total of all replies"`
	LatestJudgmentStart time.Time      `json:"last,omitzero"` // start of the newest judgment
}

// Index returns the index of the run with this name for the present state of its files.
func (s *Store) Index(ctx context.Context, run string) (*Index, error) {
	if _, err := s.Manifest(run); err != nil {
		s.indexes.Drop(run)
		return nil, err
	}
	stamps := s.Stamps(run)
	x, err := memo.Get(ctx, s.indexes, run, stamps, func() (*Index, error) {
		return s.index(run, stamps, memo.GetStale[*Index](s.indexes, run))
	})
	if err != nil && ctx.Err() == nil {
		s.indexes.Drop(run) // so that the next call reads the files again
	}
	return x, err
}

// Indexes returns the indexes of the runs with these names, in the same order.
func (s *Store) Indexes(ctx context.Context, runs []string) (all []*Index, err error) {
	for _, run := range runs {
		x, err := s.Index(ctx, run)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// index builds the index of a run. It reads only the records appended since last, an earlier index of the run or nil,
// and reads everything if the files have changed in another way.
func (s *Store) index(run string, stamps Stamps, last *Index) (*Index, error) {
	m, err := s.Manifest(run)
	if err != nil {
		return nil, err
	}
	x := &Index{
		Run:         run,
		itemNumbers: map[string]int{},
		Counts:      RecordCounts{Outcomes: map[string]int{}},
		alarms:      &judging.Alarms{},
		store:       s,
	}
	records, info, err := s.OpenRunFile(run, judging.RecordsFile)
	switch {
	case err == nil:
		defer records.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, failure.Unreadable("the records of %q cannot be read: %w", run, reason(err))
	}
	grows := last != nil && last.Manifest.ID == m.ID && last.stamps.Items == stamps.Items && last.isSameOrAppended(info)
	if grows {
		*x = *last
		x.items = slices.Clone(last.items)
		x.itemNumbers = maps.Clone(last.itemNumbers)
		x.judgments = slices.Clip(last.judgments)
		x.Counts.Outcomes = maps.Clone(last.Counts.Outcomes)
		x.LineErrors = slices.Clip(last.LineErrors)
	}
	x.Manifest = m
	x.alarms.Manifest = m
	x.stamps = stamps
	x.Asker, err = judging.AskerOf(m)
	if err != nil {
		return nil, failure.Unreadable("%s: %w", run, err)
	}
	if !grows {
		if err := x.readItems(); err != nil { // first, so that items have the order of their file
			return nil, err
		}
	}
	if info != nil {
		err = x.readRecords(records, info)
	}
	return x, err
}

// isSameOrAppended reports whether the file of records, now described by info, is the file that x was built from,
// unchanged or with lines appended; or whether there was no such file then.
func (x *Index) isSameOrAppended(info fs.FileInfo) bool {
	if x.recordsFile == nil || info == nil {
		return x.recordsFile == nil
	}
	return os.SameFile(x.recordsFile, info) &&
		(StampOf(x.recordsFile) == StampOf(info) || info.Size() > x.recordsFile.Size())
}

// readRecords reads the records in f that x does not have yet, up to the size in info.
func (x *Index) readRecords(f *os.File, info fs.FileInfo) error {
	begin, lines := x.bytesRead, x.linesRead
	in := x.store.reader(f, begin, info)
	err := judging.EachStored(in, x.readRecord, func(line judging.StoredLine[indexedRecord]) error {
		x.bytesRead = begin + line.Offset + int64(line.Length) + 1
		x.linesRead = lines + line.Number
		if line.Err != nil {
			x.addDamage("%s:%d: damaged record: %v", judging.RecordsFile, x.linesRead, line.Err)
			return nil
		}
		line.Value.line = linePosition{offset: begin + line.Offset, length: line.Length}
		x.add(line.Value)
		return nil
	})
	if err != nil {
		return failure.Unreadable("the records of %q cannot be read: %w", x.Run, reason(err))
	}
	x.recordsFile = info
	x.Alarm = x.alarms.Message
	return nil
}

// indexedRecord holds a record with the values of it that an index keeps.
type indexedRecord struct {
	IndexedJudgment
	record *judging.Record
}

// readRecord decodes a line of records.jsonl and reads the verdict from its replies again, as scoring does. It is
// called from several goroutines.
func (x *Index) readRecord(line []byte) (out indexedRecord, err error) {
	r, err := judging.DecodeRecord(line)
	if err != nil {
		return out, err
	}
	v, err := r.Read(x.Asker, ResultsReadingOptions(x.Manifest))
	if err != nil {
		return out, err
	}
	return indexedRecord{IndexedJudgment: judgmentOf(x.Manifest, r, v), record: r}, nil
}

// ResultsReadingOptions returns the options with which the verdicts behind a run's results.json were read from replies.
func ResultsReadingOptions(m *judging.Manifest) judging.ReadingOptions {
	return judging.ReadingOptions{
		LabelPolicy:     judging.PolicyUniqueLabel,
		AcceptTruncated: m.Spec.Parameters.AcceptTruncated,
	}
}

// judgmentOf returns the values of r, a record of the run of m, that an index keeps. v is the verdict read from r.
func judgmentOf(m *judging.Manifest, r *judging.Record, v judging.Verdict) IndexedJudgment {
	g := IndexedJudgment{
		OrderKey:       OrderKey(r.Mode, r.Order),
		Presentation:   r.Presentation,
		presentations:  r.Presentations,
		Repetition:     r.Repetition,
		Outcome:        v.Outcome,
		Choice:         v.Choice,
		ChosenPosition: slices.Index(r.Order, r.CandidateID(v.Choice)),
		candidateCount: len(r.Order),
		began:          r.At,
	}
	if r.Shape.Info().CandidatesAreVerdicts {
		g.ChosenPosition = -1
		g.candidateCount = 0
	}
	g.Mode = strings.Clone(r.Mode)
	if r.Own != nil {
		g.OwnAnswer = Rightness{Correct: r.Own.Right, Known: true}
	}
	g.score = m.Spec.Prompt.ScaleValue(v.Answer)
	g.firstIsGold = len(r.Order) > 0 && r.Order[0] == r.Gold
	right, labelled := m.Right(r, v)
	g.Right = Rightness{Correct: right, Known: right || labelled}
	return g
}

// add adds a record to the index. If a judgment has several records, the first counts, as in scoring.
func (x *Index) add(g indexedRecord) {
	r := g.record
	g.item = x.itemNumber(r.Item, r.Group)
	entry := &x.items[g.item]
	for _, k := range entry.judgments {
		if x.judgments[k].Presentation == g.Presentation && x.judgments[k].Repetition == g.Repetition {
			return
		}
	}
	x.alarms.Observe(r)
	c := &x.Counts
	c.Records++
	c.Outcomes[string(g.Outcome)]++
	cached := c.Cached
	for _, reply := range r.Replies {
		c.Replies++
		if reply.Cached {
			c.Cached++
		}
		c.PromptTokens += reply.PromptTokens
		c.ReplyTokens += reply.ReplyTokens
		c.Milliseconds += reply.Milliseconds
		g.milliseconds += reply.Milliseconds
		g.replyTokens += reply.ReplyTokens
	}
	if c.Cached > cached {
		g.milliseconds = 0
		g.replyTokens = 0
	}
	if began := r.At.UTC().Truncate(time.Millisecond); began.After(c.LatestJudgmentStart) {
		c.LatestJudgmentStart = began
	}
	entry.judgments = append(slices.Clip(entry.judgments), len(x.judgments))
	x.judgments = append(x.judgments, g.IndexedJudgment)
}

// itemNumber returns the number of the item with an id, and adds the item if the index does not have it.
func (x *Index) itemNumber(id, group string) int {
	i, ok := x.itemNumbers[id]
	if !ok {
		i = len(x.items)
		id = strings.Clone(id)
		x.itemNumbers[id] = i
		x.items = append(x.items, item{id: id, group: strings.Clone(group)})
	}
	return i
}

// readItems fills in the ids, groups and positions of the items in items.jsonl.
func (x *Index) readItems() error {
	f, info, err := x.store.OpenRunFile(x.Run, judging.ItemsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not written yet, or an imported run without texts
	}
	if err != nil {
		return failure.Unreadable("the items of %q cannot be read: %w", x.Run, reason(err))
	}
	defer f.Close()
	decode := func(text []byte) (entry item, err error) {
		read, err := x.Manifest.DecodeItem(text)
		return item{id: read.ID, group: read.Group}, err
	}
	in := x.store.reader(f, 0, info)
	err = judging.EachStored(in, decode, func(l judging.StoredLine[item]) error {
		if l.Err != nil {
			x.addDamage("%s:%d: %v", judging.ItemsFile, l.Number, l.Err)
			return nil
		}
		x.items[x.itemNumber(l.Value.id, l.Value.group)].line = linePosition{offset: l.Offset, length: l.Length}
		return nil
	})
	if err != nil {
		return failure.Unreadable("the items of %q cannot be read: %w", x.Run, reason(err))
	}
	return nil
}

// maxDamagedErrors limits the number of errors in Damaged.
const maxDamagedErrors = 20

// addDamage adds an error to Damaged.
func (x *Index) addDamage(format string, args ...any) {
	if len(x.LineErrors) < maxDamagedErrors {
		x.LineErrors = append(x.LineErrors, fmt.Sprintf(format, args...))
	}
}
