package labels

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"gavel/datasets"
)

// DeskOptions holds the options of a [Desk], which gives items to people who label them.
type DeskOptions struct {
	DatasetName string           // name of the dataset
	Path        string           // path of the file of labels; an existing file is continued
	Sample      int              // number of items to label; 0 for all
	RepeatShare float64          // share of items, 0 to 1, that each person is shown twice, with the responses exchanged
	Seed        int64            // seed of the draw of items, their order, and the order of responses
	Now         func() time.Time // returns the time, for how long a label takes
}

// Desk gives the items of a dataset to people, one at a time, and stores their labels in a file: each label is on disk
// before the next item is shown. Its methods may be called from several goroutines.
type Desk struct {
	DeskOptions

	set          *datasets.Set // the dataset
	items        []int         // items to label, as row numbers of the set
	FileMessages []string      // messages for the user about the file of labels

	mu     sync.Mutex
	lock   *flock.Flock       // lock against other processes that write to the file
	file   *labelAppender     // the file of labels
	people map[string]*person // by name: each person who labels
}

// person holds the state of one person who labels.
type person struct {
	turns     []turn          // all items for this person, in the order shown
	labels    map[turn]string // the person's labels so far; "" for a skipped item
	undoTurns []turn          // turns whose label can be taken back, the latest last
	shownAt   time.Time       // when the current item was first shown; zero after [Desk.Undo]
	current   turn            // the item that the person was shown last
	durations []time.Duration // time that each label took
}

// turn identifies an item that a person is shown, for the first time or repeated.
type turn struct {
	item   int  // row number of the item in the dataset
	repeat bool // the item is shown for the second time
}

// Turn holds the item that one person is shown now, and the person's progress.
type Turn struct {
	Labeller      string                 // name of the person
	At            int                    // row number of the item in the dataset, from 0
	Sum           string                 // SHA-256 of the item's line in the dataset, to detect an old page
	Again         bool                   // the item is shown for the second time
	Shape         datasets.Shape         // kind of the item, such as pair
	Question      string                 // the question of the item, which the responses answer
	Shown         []string               // texts of the responses or options, in this person's order
	People        *datasets.PeopleScores // of a response: the scale that people score on
	Ties          bool                   // a tie is a possible label
	Done          int                    // items that this person has labelled; those shown twice count twice
	Total         int                    // all items for this person; those shown twice count twice
	RemainingTime time.Duration          // estimated time for the items left; 0 if unknown yet
	Undo          string                 // identifies the latest label, for [Desk.Undo]; "" if none can be taken back
	Finished      bool                   // the person has labelled all items
}

// maxThink limits the time for a label that counts for estimates: after a longer time the person was away.
const maxThink = 10 * time.Minute

// repeatAfter is the number of other items shown before one is shown again. The last items are not shown again.
const repeatAfter = 10

// OpenDesk opens a desk, which gives the items of a dataset to people who label them. It returns an error if another
// process writes to the file of labels, or if the labels in it belong to another dataset.
func OpenDesk(set *datasets.Set, o DeskOptions) (*Desk, error) {
	d := &Desk{DeskOptions: o, set: set, people: map[string]*person{}}
	d.lock = flock.New(filepath.Join(filepath.Dir(o.Path), "."+filepath.Base(o.Path)+".lock"), flock.SetPermissions(0o644))
	if locked, err := d.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("the file of labels: %w; name another with --labels", err)
	} else if !locked {
		return nil, fmt.Errorf("%s: another gavel label writes to it: "+
			"open its page, or name another file with --labels", o.Path)
	}
	all, err := d.openFile()
	if err == nil {
		err = d.drawItems()
	}
	if err == nil {
		err = d.restoreLabels(all)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close releases the lock on the file of labels. The lock's own file stays, so that all waiting processes wait for the
// same one.
func (d *Desk) Close() error { return d.lock.Unlock() }

// person returns the state of a person by name; it creates the state if needed.
func (d *Desk) person(name string) *person {
	p := d.people[name]
	if p == nil {
		if len(d.people) >= maxVisitors { // forget visitors without a label
			maps.DeleteFunc(d.people, func(_ string, p *person) bool { return len(p.labels) == 0 })
		}
		p = &person{turns: d.turns(name), labels: map[turn]string{}}
		d.people[name] = p
	}
	return p
}

// maxVisitors limits the people in memory who have not labelled anything.
const maxVisitors = 50

// lastUndoable returns the item whose label the person can take back. Labels from a draw with other options are not
// shown here.
func (p *person) lastUndoable() (latest turn, ok bool) {
	for _, latest = range slices.Backward(p.undoTurns) {
		if slices.Contains(p.turns, latest) {
			return latest, true
		}
	}
	return latest, false
}

// applyLabel applies a line of the file of labels, which is a label or takes one back, to the item t.
func (p *person) applyLabel(t turn, l Label) {
	if k := slices.Index(p.undoTurns, t); k >= 0 {
		p.undoTurns = slices.Delete(p.undoTurns, k, k+1)
	}
	if l.Undo {
		delete(p.labels, t)
		return
	}
	p.undoTurns = append(p.undoTurns, t)
	p.labels[t] = l.Label
}

// validName matches valid names of people, which are part of web addresses.
var validName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{M}\p{N} .'_@-]{0,58}[\p{L}\p{M}\p{N}.'_@-])?$`)
})

// ErrName is the error of [CheckName] for an invalid name of a person.
var ErrName = errors.New("a name has letters, digits, spaces and . " +
	"' _ @ -, at most 60 characters, begins with a letter or a digit, and ends with no space")

// CheckName returns an error for an invalid name of a person.
func CheckName(name string) error {
	if !validName().MatchString(name) {
		return ErrName
	}
	return nil
}

// Next returns the item that the named person is shown now.
func (d *Desk) Next(name string) (t Turn, err error) {
	if err := CheckName(name); err != nil {
		return t, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(name)
	t = Turn{Labeller: name, Total: len(p.turns), Finished: true}
	if latest, ok := p.lastUndoable(); ok {
		t.Undo = latest.String()
	}
	var next turn
	for _, at := range p.turns {
		if _, done := p.labels[at]; done {
			t.Done++
		} else if t.Finished {
			next, t.Finished = at, false
		}
	}
	if len(p.durations) > 2 {
		median := slices.Sorted(slices.Values(p.durations))[len(p.durations)/2]
		t.RemainingTime = time.Duration(t.Total-t.Done) * median
	}
	if t.Finished {
		return t, nil
	}
	item, err := d.set.Item(next.item)
	if err != nil {
		return t, err
	}
	if p.current != next || p.shownAt.IsZero() {
		p.current, p.shownAt = next, d.Now()
	}
	t.Sum, err = itemSHA256(d.set, next.item)
	if err != nil {
		return t, err
	}
	t.At = next.item
	t.Again = next.repeat
	t.Shape = item.Shape
	t.Question = item.Question
	t.Ties = item.Shape.Info().SideBySide
	t.People = item.People
	for _, k := range d.candidateOrder(name, item, next.repeat) {
		t.Shown = append(t.Shown, item.Candidates[k].Text)
	}
	return t, nil
}

// PersonLabel holds the answer of a person to the item that they were shown.
type PersonLabel struct {
	ItemIndex  int    // row number of the item in the dataset, as in [Turn]
	ItemSHA256 string // SHA-256 of the item's line in the dataset, as in [Turn]
	Repeat     bool   // the item was shown for the second time
	Choice     string // "1" for the first text shown, "2" …; or the number, if the item asks for one
	Tie        bool   // the person finds neither response better
	Skip       bool   // the person gives no label
	Note       string // remark in the person's words
}

// maxNoteLength limits the characters of a person's note on an item.
const maxNoteLength = 4000

// ErrAnswer marks the error of an answer that does not fit the item or the page.
var ErrAnswer = errors.New("not an answer")

// Submit stores the answer of the named person. If it cannot be written, nothing is stored and the item is shown again.
func (d *Desk) Submit(name string, s PersonLabel) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if s.ItemIndex < 0 || s.ItemIndex >= d.set.Len() {
		return fmt.Errorf("%w: %s has no such item", ErrAnswer, d.DatasetName)
	}
	target := turn{s.ItemIndex, s.Repeat}
	item, err := d.set.Item(target.item)
	if err != nil {
		return err
	}
	l := Label{
		Item:       item.ID,
		Labeller:   name,
		Repeat:     s.Repeat,
		Note:       strings.TrimSpace(strings.ToValidUTF8(s.Note, "�")),
		DrawMethod: DrawnAtRandom,
		Seed:       d.Seed,
	}
	l.SHA256, err = itemSHA256(d.set, target.item)
	if err != nil {
		return err
	}
	if l.SHA256 != s.ItemSHA256 {
		return fmt.Errorf("%w: the page is of another dataset: load it again", ErrAnswer)
	}
	if utf8.RuneCountInString(l.Note) > maxNoteLength {
		return fmt.Errorf("%w: the note is longer than %d characters", ErrAnswer, maxNoteLength)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(name)
	if !slices.Contains(p.turns, target) {
		return fmt.Errorf("%w: %q is not among the items of %s", ErrAnswer, item.ID, name)
	}
	l.Label, err = s.storedLabel(item, d.candidateOrder(name, item, s.Repeat))
	if err != nil {
		return err
	}
	if was, ok := p.labels[target]; ok && was == l.Label && l.Note == "" {
		return d.file.add() // a key pressed twice
	}
	if err := d.file.add(l); err != nil {
		return err
	}
	if now := d.Now(); p.current == target && now.Sub(p.shownAt) < maxThink {
		p.durations = append(p.durations, now.Sub(p.shownAt))
	}
	p.applyLabel(target, l)
	return nil
}

// storedLabel returns the label that the file stores: the id of the chosen candidate, a tie, a number, or "" for a
// skipped item. order holds the candidates in the order shown.
func (s PersonLabel) storedLabel(item datasets.Item, order []int) (string, error) {
	switch {
	case s.Skip:
		return "", nil
	case s.Tie && item.Shape.Info().SideBySide:
		return Tie, nil
	case s.Tie:
		return "", fmt.Errorf(`%w: the answer "neither is better" is only for items with two responses`, ErrAnswer)
	case item.Shape.Info().Numeric:
		n, ok := normalizeNumber(s.Choice)
		if !ok {
			return "", fmt.Errorf("%w: a number is expected, such as 1234.5", ErrAnswer)
		}
		return n, nil
	}
	k, err := strconv.Atoi(s.Choice)
	if err != nil || k < 1 || k > len(order) {
		return "", fmt.Errorf("%w: choose one of the %d that are shown", ErrAnswer, len(order))
	}
	return item.Candidates[order[k-1]].ID, nil
}

// String returns the item's number and whether it is repeated, by which [Turn.Undo] identifies the label.
func (t turn) String() string { return fmt.Sprintf("%d %v", t.item, t.repeat) }

// Undo takes back the latest label of the named person and shows the item again. latest must be [Turn.Undo]; if the
// latest label is another one, the button was pressed twice and Undo does nothing.
func (d *Desk) Undo(name, latest string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(name)
	last, ok := p.lastUndoable()
	if !ok {
		return fmt.Errorf("%w: there is nothing to take back", ErrAnswer)
	}
	if last.String() != latest {
		return nil
	}
	l := Label{Item: d.set.ItemID(last.item), Labeller: name, Repeat: last.repeat, Undo: true}
	if err := d.file.add(l); err != nil {
		return err
	}
	p.applyLabel(last, l)
	p.shownAt = time.Time{}
	return nil
}

// Progress returns the progress of each person with a label, by name.
func (d *Desk) Progress() (done []LabelProgress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for who, p := range d.people {
		if len(p.labels) == 0 {
			continue
		}
		x := LabelProgress{Labeller: who, Total: len(p.turns)}
		for _, at := range p.turns {
			if label, ok := p.labels[at]; ok && label == "" {
				x.Skipped++
			} else if ok {
				x.Labelled++
			}
		}
		done = append(done, x)
	}
	slices.SortFunc(done, func(a, b LabelProgress) int { return cmp.Compare(a.Labeller, b.Labeller) })
	return done
}

// LabelProgress counts the items that a person has labelled.
type LabelProgress struct {
	Labeller                 string // name of the person
	Labelled, Skipped, Total int    // of all items for the person; those shown twice count twice
}

// SHA256 returns the SHA-256 of the dataset, in hexadecimal.
func (d *Desk) SHA256() string { return d.set.SHA256 }
