package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"gavel/internal/server/failure"
	"gavel/judging"
	_ "gavel/protocols" // which runs name
)

// Index is where the records and items of one run stand in its files, and of each as much as pages are filtered by. Of
// a run that is being made it grows with the records: what was read once is not read again.
// Whoever has one from [Store.Index] or [Store.Held] holds it: nothing in it changes until they are done. Items go by
// their place, from 0.
type Index struct {
	Run      string
	Manifest *judging.Manifest
	Asker    judging.Asker
	Counts   Counts
	Alarms   judging.Alarms
	Damaged  []string // what cannot be read, the first of it

	store     *Store
	mu        sync.RWMutex
	records   tail
	itemsAt   Stamp
	ids       judging.IDs
	items     []entry
	groups    []string
	judgments []Judgment
	version   int // raised when anything changes
}

// tail is how far a file that grows was read.
type tail struct {
	info  fs.FileInfo
	read  int64
	lines int
}

// entry is an item.
type entry struct {
	offset      int64
	length      int32 // 0 where items.jsonl does not have it
	group       int32
	first, last int32 // 1 + place in judgments; 0 for none
}

// Judgment is a record, in the few bytes that lists and filters need of it.
type Judgment struct {
	offset        int64
	at            int64 // milliseconds since 1970 at which it began; 0 where unknown
	length        int32
	took          uint32 // milliseconds of its replies; 0 where unknown, or where one was remembered
	tokens        uint32 // of these replies
	item          int32
	next          int32  // 1 + place of the item's next
	Shown         uint32 // its order and mode, see ShownAs
	Presentation  uint16
	Repetition    uint16
	presentations uint16
	outcome       uint8 // place in judging.Outcomes
	Choice        int8  // candidate chosen, in the order of the item's own; -1 for none
	Position      int8  // where it was shown
	positions     uint8 // shown in all
	Right         right
	other         bool // read otherwise than when it was recorded
}

// right is whether a verdict is the labelled one.
type right int8

const (
	unlabelled right = iota // nobody can say
	no
	yes
)

// Outcome of the judgment, as its reply is read today.
func (g Judgment) Outcome() judging.Outcome { return judging.Outcomes[g.outcome] }
func (g Judgment) decided() bool            { return g.Outcome() == judging.Decided }

// Counts are sums over the records.
type Counts struct {
	Records      int            `json:"records"`
	Outcomes     map[string]int `json:"outcomes"`
	Replies      int            `json:"replies"`
	Cached       int            `json:"cached_replies"`
	PromptTokens int            `json:"prompt_tokens"`
	ReplyTokens  int            `json:"reply_tokens"`
	Milliseconds float64        `json:"reply_ms" jsonschema:"of all replies together"`
	Last         time.Time      `json:"last,omitzero"`
}

// indexed is a record as the index reads it.
type indexed struct {
	Judgment
	id, group           string
	replies, cached     int
	promptTok, replyTok int
	ms                  float64
	record              judging.Record // what alarms look at
}

// refresh brings the index up to date with the run's files.
func (x *Index) refresh() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.update()
	if err != nil {
		x.reset()
	}
	return err
}

// current tells whether the run's files are as they were when the index was brought up to date; m is what run.json
// holds now. It waits for whoever is reading them.
func (x *Index) current(m *judging.Manifest) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.Manifest == m && x.standsAt(judging.ItemsFile, func(info fs.FileInfo) bool {
		return StampOf(info) == x.itemsAt
	}, x.itemsAt == Stamp{}) &&
		x.standsAt(judging.RecordsFile, x.records.at, x.records.info == nil)
}

// standsAt tells whether a file is as it was, which may be not there.
func (x *Index) standsAt(file string, same func(fs.FileInfo) bool, none bool) bool {
	info, err := x.store.root.Stat(path.Join(x.Run, file))
	if err != nil {
		return none && errors.Is(err, fs.ErrNotExist)
	}
	return !none && same(info)
}

// at tells whether info is of the file that was read, as far as it was read.
func (t tail) at(info fs.FileInfo) bool {
	return os.SameFile(t.info, info) && StampOf(t.info) == StampOf(info)
}

func (x *Index) update() error {
	m, err := x.store.Manifest(x.Run)
	if err != nil {
		return err
	}
	if x.Manifest == nil || x.Manifest.ID != m.ID {
		x.reset()
		x.Asker, err = judging.AskerOf(m)
		if err != nil {
			return failure.Unreadable(err, "%s: %v", x.Run, err)
		}
	}
	x.Manifest = m
	if err := x.readItems(); err != nil { // first: items stand in the order of their file
		return err
	}
	return x.readRecords()
}

func (x *Index) reset() {
	x.Manifest = nil
	x.records = tail{}
	x.itemsAt = Stamp{}
	x.ids = judging.IDs{}
	x.items = nil
	x.groups = nil
	x.judgments = nil
	x.Counts = Counts{Outcomes: map[string]int{}}
	x.Damaged = nil
	x.Alarms = judging.Alarms{}
	x.version++
}

// restart is reset for a run that is the same but for its files.
func (x *Index) restart() {
	m, p := x.Manifest, x.Asker
	x.reset()
	x.Manifest, x.Asker = m, p
}

// readRecords reads what was appended since, or everything where the file is another one.
func (x *Index) readRecords() error {
	f, info, err := x.store.Open(x.Run, judging.RecordsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not begun yet
	}
	if err != nil {
		return failure.Unreadable(err, "the records of %q cannot be read: %v", x.Run, reason(err))
	}
	defer f.Close()
	was := x.records.info
	switch {
	case was == nil:
	case !os.SameFile(was, info), info.Size() < x.records.read, info.Size() == was.Size() &&
		!info.ModTime().Equal(was.ModTime()):
		x.restart()
		if err := x.readItems(); err != nil {
			return err
		}
	case info.Size() == was.Size():
		return nil
	}
	begin, lines := x.records.read, x.records.lines
	in := x.store.reading(f, begin, info)
	err = judging.EachStored(in, x.read, func(line judging.StoredLine[indexed]) error {
		x.records.read = begin + line.Offset + int64(line.Length) + 1
		x.records.lines = lines + line.Number
		if line.Err != nil {
			x.complain("%s:%d: damaged record: %v", judging.RecordsFile, x.records.lines, line.Err)
			return nil
		}
		line.Value.offset, line.Value.length = begin+line.Offset, int32(line.Length)
		x.add(line.Value)
		return nil
	})
	if err != nil {
		return failure.Unreadable(err, "the records of %q cannot be read: %v", x.Run, reason(err))
	}
	x.records.info = info
	x.version++
	return nil
}

// read decodes a record and reads its replies again, as scores do. It is called from many goroutines.
func (x *Index) read(line []byte) (out indexed, err error) {
	r, err := judging.DecodeRecord(line)
	if err != nil {
		return out, err
	}
	v, err := r.Read(x.Asker, x.reading())
	if err != nil {
		return out, err
	}
	out = indexed{
		Judgment: JudgmentOf(x.Manifest, r, v),
		id:       r.Item,
		group:    r.Group,
		replies:  len(r.Replies),
		record:   judging.Record{Outcome: r.Outcome, Label: r.Label, Imported: r.Imported},
	}
	out.record.Replies = r.Replies
	for _, reply := range r.Replies {
		if reply.Cached {
			out.cached++
		}
		out.promptTok += reply.PromptTokens
		out.replyTok += reply.ReplyTokens
		out.ms += reply.Milliseconds
	}
	if out.cached == 0 {
		out.took, out.tokens = uint32(min(max(out.ms, 0), math.MaxUint32)), uint32(max(out.replyTok, 0))
	}
	return out, nil
}

func (x *Index) reading() judging.Reading { return ReadingOf(x.Manifest) }

// ReadingOf a run is how its replies are read: as results.json has them.
func ReadingOf(m *judging.Manifest) judging.Reading {
	return judging.Reading{Policy: judging.Unique, AcceptCut: m.Spec.Parameters.AcceptCut}
}

// JudgmentOf a record and the verdict that is read from it.
func JudgmentOf(m *judging.Manifest, r *judging.Record, v judging.Verdict) Judgment {
	g := Judgment{
		Shown:         ShownAs(r.Mode, r.Order),
		Presentation:  uint16(r.Presentation),
		presentations: uint16(r.Presentations),
		Repetition:    uint16(r.Repetition),
		outcome:       uint8(slices.Index(judging.Outcomes, v.Outcome)),
		Choice:        int8(v.Choice),
		Position:      int8(slices.Index(r.Order, r.CandidateID(v.Choice))),
		positions:     uint8(len(r.Order)),
		other:         v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice || v.Answer != r.Answer,
	}
	if r.Shape.Info().Verdicts {
		g.Position, g.positions = -1, 0
	}
	if !r.At.IsZero() {
		g.at = r.At.UnixMilli()
	}
	if right, known := m.Right(r, v); right {
		g.Right = yes
	} else if known {
		g.Right = no
	}
	return g
}

func (x *Index) add(r indexed) {
	i := x.itemNamed(r.id, r.group)
	e := &x.items[i]
	for g := range x.judgmentsOf(*e) {
		if g.Presentation == r.Presentation && g.Repetition == r.Repetition {
			return // the first stands, as for scores
		}
	}
	r.item = int32(i)
	x.judgments = append(x.judgments, r.Judgment)
	n := int32(len(x.judgments))
	if e.first == 0 {
		e.first = n
	} else {
		x.judgments[e.last-1].next = n
	}
	e.last = n
	x.Alarms.Manifest = x.Manifest
	x.Alarms.Look(&r.record)
	c := &x.Counts
	c.Records++
	c.Outcomes[string(r.Outcome())]++
	c.Replies += r.replies
	c.Cached += r.cached
	c.PromptTokens += r.promptTok
	c.ReplyTokens += r.replyTok
	c.Milliseconds += r.ms
	if at := time.UnixMilli(r.at).UTC(); r.at > 0 && at.After(c.Last) {
		c.Last = at
	}
}

// itemNamed is the place of an item, which may be new, and its group too.
func (x *Index) itemNamed(id, group string) int {
	i, added := x.ids.Add(id)
	if added {
		at := slices.Index(x.groups, group)
		if at < 0 {
			at, x.groups = len(x.groups), append(x.groups, group)
		}
		x.items = append(x.items, entry{group: int32(at)})
	}
	return i
}

// readItems finds where the items' lines stand, where that is not known of this file yet.
func (x *Index) readItems() error {
	f, info, err := x.store.Open(x.Run, judging.ItemsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not written yet, or an imported run without texts
	}
	if err != nil {
		return failure.Unreadable(err, "the items of %q cannot be read: %v", x.Run, reason(err))
	}
	defer f.Close()
	if StampOf(info) == x.itemsAt {
		return nil
	}
	x.restart()
	type line struct{ id, group string }
	decode := func(text []byte) (line, error) {
		item, err := judging.ItemOf(x.Manifest, text)
		return line{item.ID, item.Group}, err
	}
	in := x.store.reading(f, 0, info)
	err = judging.EachStored(in, decode, func(l judging.StoredLine[line]) error {
		if l.Err != nil {
			x.complain("%s:%d: %v", judging.ItemsFile, l.Number, l.Err)
			return nil
		}
		i := x.itemNamed(l.Value.id, l.Value.group)
		x.items[i].offset, x.items[i].length = l.Offset, int32(l.Length)
		return nil
	})
	if err != nil {
		return failure.Unreadable(err, "the items of %q cannot be read: %v", x.Run, reason(err))
	}
	x.itemsAt = StampOf(info)
	x.version++
	return nil
}

// maxComplaints is how many lines that cannot be read are named.
const maxComplaints = 20

func (x *Index) complain(format string, args ...any) {
	if len(x.Damaged) < maxComplaints {
		x.Damaged = append(x.Damaged, fmt.Sprintf(format, args...))
	}
}
