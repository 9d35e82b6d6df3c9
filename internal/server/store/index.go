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

// An Index holds the positions of a run's records and items in its files, with the values of each that lists and
// filters need. It describes one state of the files and never changes. Items are numbered from 0.
type Index struct {
	Run      string
	Manifest *judging.Manifest
	Asker    judging.Asker
	Counts   RecordCounts
	Alarm    string   // warning from the first judgments, see [judging.Alarms]
	Damaged  []string // the first errors of lines that cannot be read

	store     *Store
	stamps    Stamps
	items     []item
	places    map[string]int    // numbers of items, by id
	judgments []IndexedJudgment // in the order of the records
	records   fs.FileInfo       // nil without a file
	bytesRead int64             // size of the records read so far
	lines     int               // lines read so far
	alarms    *judging.Alarms
}

// place holds the position of a line in its file.
type place struct {
	offset int64
	length int // 0 if the file does not have the line
}

type item struct {
	id, group string
	line      place // of items.jsonl
	judgments []int // positions in Index.judgments
}

// IndexedJudgment holds the values of a record that lists and filters need.
type IndexedJudgment struct {
	OrderKey     string // key of the mode and the order of candidates
	Presentation int
	Repetition   int
	Outcome      judging.Outcome // from reading the reply again
	Choice       int             // index of the chosen candidate in the item; -1 for none
	Position     int             // where the choice was shown, from 0
	Right        Rightness
	OwnAnswer    Rightness // the judge's own answer to the question
	Mode         string    // of the prompt, if there are several

	line          place
	item          int
	began         time.Time // start of the request
	milliseconds  float64   // of its replies; 0 if unknown, or if one came from the cache
	tokens        int       // of these replies
	presentations int
	positions     int // number of candidates shown
}

func (g IndexedJudgment) decided() bool { return g.Outcome == judging.Decided }

// Rightness holds whether a verdict is correct, if that is known.
type Rightness struct{ Correct, Known bool }

// RecordCounts holds sums over the records.
type RecordCounts struct {
	Records      int            `json:"records"`
	Outcomes     map[string]int `json:"outcomes"`
	Replies      int            `json:"replies"`
	Cached       int            `json:"cached_replies"`
	PromptTokens int            `json:"prompt_tokens"`
	ReplyTokens  int            `json:"reply_tokens"`
	Milliseconds float64        `json:"reply_ms" jsonschema:"total of all replies"`
	Last         time.Time      `json:"last,omitzero"`
}

// Index returns the index of a run for the current state of its files.
func (s *Store) Index(ctx context.Context, run string) (*Index, error) {
	if _, err := s.Manifest(run); err != nil {
		s.indexes.Drop(run)
		return nil, err
	}
	stamps := s.Stamps(run)
	x, err := memo.Get(ctx, s.indexes, run, stamps, func() (*Index, error) {
		return s.index(run, stamps, memo.Last[*Index](s.indexes, run))
	})
	if err != nil && ctx.Err() == nil {
		s.indexes.Drop(run) // so that the next call reads the files again
	}
	return x, err
}

// Indexes returns the indexes of several runs.
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

// index reads a run: only the records appended since last, or everything if the files changed otherwise.
func (s *Store) index(run string, stamps Stamps, last *Index) (*Index, error) {
	m, err := s.Manifest(run)
	if err != nil {
		return nil, err
	}
	x := &Index{
		Run:    run,
		places: map[string]int{},
		Counts: RecordCounts{Outcomes: map[string]int{}},
		alarms: &judging.Alarms{},
		store:  s,
	}
	records, info, err := s.Open(run, judging.RecordsFile)
	switch {
	case err == nil:
		defer records.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, failure.Unreadable("the records of %q cannot be read: %w", run, reason(err))
	}
	grows := last != nil && last.Manifest.ID == m.ID && last.stamps.Items == stamps.Items && last.continues(info)
	if grows {
		*x = *last
		x.items = slices.Clone(last.items)
		x.places = maps.Clone(last.places)
		x.judgments = slices.Clip(last.judgments)
		x.Counts.Outcomes = maps.Clone(last.Counts.Outcomes)
		x.Damaged = slices.Clip(last.Damaged)
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

// continues reports whether the file of records is the one that was read, unchanged or longer.
func (x *Index) continues(info fs.FileInfo) bool {
	if x.records == nil || info == nil {
		return x.records == nil
	}
	return os.SameFile(x.records, info) && (StampOf(x.records) == StampOf(info) || info.Size() > x.records.Size())
}

// readRecords reads the records after those already read.
func (x *Index) readRecords(f *os.File, info fs.FileInfo) error {
	begin, lines := x.bytesRead, x.lines
	in := x.store.reader(f, begin, info)
	err := judging.EachStored(in, x.read, func(line judging.StoredLine[indexedRecord]) error {
		x.bytesRead = begin + line.Offset + int64(line.Length) + 1
		x.lines = lines + line.Number
		if line.Err != nil {
			x.complain("%s:%d: damaged record: %v", judging.RecordsFile, x.lines, line.Err)
			return nil
		}
		line.Value.line = place{offset: begin + line.Offset, length: line.Length}
		x.add(line.Value)
		return nil
	})
	if err != nil {
		return failure.Unreadable("the records of %q cannot be read: %w", x.Run, reason(err))
	}
	x.records = info
	x.Alarm = x.alarms.Message
	return nil
}

// indexedRecord holds a record with its values for the index.
type indexedRecord struct {
	IndexedJudgment
	record *judging.Record
}

// read decodes a record and reads its replies again, as scoring does. It is called from many goroutines.
func (x *Index) read(line []byte) (out indexedRecord, err error) {
	r, err := judging.DecodeRecord(line)
	if err != nil {
		return out, err
	}
	v, err := r.Read(x.Asker, ReadingOf(x.Manifest))
	if err != nil {
		return out, err
	}
	return indexedRecord{IndexedJudgment: JudgmentOf(x.Manifest, r, v), record: r}, nil
}

// ReadingOf returns the reading of a run's replies behind results.json.
func ReadingOf(m *judging.Manifest) judging.Reading {
	return judging.Reading{Policy: judging.Unique, AcceptCut: m.Spec.Parameters.AcceptCut}
}

// JudgmentOf returns the values of a record and of the verdict that was read from it.
func JudgmentOf(m *judging.Manifest, r *judging.Record, v judging.Verdict) IndexedJudgment {
	g := IndexedJudgment{
		OrderKey:      OrderKey(r.Mode, r.Order),
		Presentation:  r.Presentation,
		presentations: r.Presentations,
		Repetition:    r.Repetition,
		Outcome:       v.Outcome,
		Choice:        v.Choice,
		Position:      slices.Index(r.Order, r.CandidateID(v.Choice)),
		positions:     len(r.Order),
		began:         r.At,
	}
	if r.Shape.Info().Verdicts {
		g.Position = -1
		g.positions = 0
	}
	g.Mode = strings.Clone(r.Mode)
	if r.Own != nil {
		g.OwnAnswer = Rightness{Correct: r.Own.Right, Known: true}
	}
	right, labelled := m.Right(r, v)
	g.Right = Rightness{Correct: right, Known: right || labelled}
	return g
}

// add adds a record. Of several records of one judgment the first counts, as in scoring.
func (x *Index) add(g indexedRecord) {
	r := g.record
	g.item = x.placeOf(r.Item, r.Group)
	entry := &x.items[g.item]
	for _, k := range entry.judgments {
		if x.judgments[k].Presentation == g.Presentation && x.judgments[k].Repetition == g.Repetition {
			return
		}
	}
	x.alarms.Look(r)
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
		g.tokens += reply.ReplyTokens
	}
	if c.Cached > cached {
		g.milliseconds = 0
		g.tokens = 0
	}
	if began := r.At.UTC().Truncate(time.Millisecond); began.After(c.Last) {
		c.Last = began
	}
	entry.judgments = append(slices.Clip(entry.judgments), len(x.judgments))
	x.judgments = append(x.judgments, g.IndexedJudgment)
}

// placeOf returns the number of an item, and adds the item if it is new.
func (x *Index) placeOf(id, group string) int {
	i, ok := x.places[id]
	if !ok {
		i = len(x.items)
		id = strings.Clone(id)
		x.places[id] = i
		x.items = append(x.items, item{id: id, group: strings.Clone(group)})
	}
	return i
}

// readItems finds the positions of the items' lines.
func (x *Index) readItems() error {
	f, info, err := x.store.Open(x.Run, judging.ItemsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not written yet, or an imported run without texts
	}
	if err != nil {
		return failure.Unreadable("the items of %q cannot be read: %w", x.Run, reason(err))
	}
	defer f.Close()
	decode := func(text []byte) (entry item, err error) {
		read, err := judging.ItemOf(x.Manifest, text)
		return item{id: read.ID, group: read.Group}, err
	}
	in := x.store.reader(f, 0, info)
	err = judging.EachStored(in, decode, func(l judging.StoredLine[item]) error {
		if l.Err != nil {
			x.complain("%s:%d: %v", judging.ItemsFile, l.Number, l.Err)
			return nil
		}
		x.items[x.placeOf(l.Value.id, l.Value.group)].line = place{offset: l.Offset, length: l.Length}
		return nil
	})
	if err != nil {
		return failure.Unreadable("the items of %q cannot be read: %w", x.Run, reason(err))
	}
	return nil
}

// maxComplaints limits the errors in Damaged.
const maxComplaints = 20

func (x *Index) complain(format string, args ...any) {
	if len(x.Damaged) < maxComplaints {
		x.Damaged = append(x.Damaged, fmt.Sprintf(format, args...))
	}
}
