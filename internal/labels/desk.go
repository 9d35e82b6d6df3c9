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

// DeskOptions are of a [Desk].
type DeskOptions struct {
	Name   string  // of the dataset, for people
	Path   string  // of the file of labels; one that is there is gone on with
	Sample int     // items to be labelled; 0 for all
	Again  float64 // share of them that everybody is shown twice, with the sides exchanged
	Seed   int64
	Now    func() time.Time
}

// Desk hands the items of a dataset out to people, one at a time, and keeps what they say in a file: each label is on
// disk before the next item is shown. Its methods may be called from many goroutines.
type Desk struct {
	o     DeskOptions
	set   *datasets.Set
	items []int    // of the set, those drawn
	Notes []string // what there is to say of the file

	mu     sync.Mutex
	lock   *flock.Flock
	file   *labelFile
	people map[string]*person
}

// person is who labels.
type person struct {
	turns []turn // in the order shown
	said  map[turn]string
	undo  []turn // what can be taken back, the latest last
	shown time.Time
	at    turn // what was shown then
	took  []time.Duration
}

// turn is an item that is shown, the second time or not.
type turn struct {
	item  int // of the set
	again bool
}

// Turn is what one person is shown.
type Turn struct {
	Labeller string
	At       int    // number of the item in the dataset
	Sum      string // of its line, so that an old page is found
	Again    bool
	Shape    datasets.Shape
	Question string
	Shown    []string      // texts of the responses or options, in the order of this person
	Ties     bool          // a tie can be said
	Done     int           // items of this person that are done, those shown twice counted twice
	Total    int           // all of theirs
	Left     time.Duration // until all are done; 0 where that is not known yet
	Undo     string        // what would be taken back, for [Desk.Undo]; "" for nothing
	Finished bool          // nothing is left: there is no item
}

// maxThink is how long somebody may look at an item for the time to count: longer, and they were away.
const maxThink = 10 * time.Minute

// againAfter is how many other items are shown before one is shown again; the last ones are not.
const againAfter = 10

// OpenDesk opens a desk over a dataset. A file of labels that somebody else writes to, or whose labels are of
// another dataset, is an error.
func OpenDesk(set *datasets.Set, o DeskOptions) (*Desk, error) {
	d := &Desk{o: o, set: set, people: map[string]*person{}}
	d.lock = flock.New(filepath.Join(filepath.Dir(o.Path), "."+filepath.Base(o.Path)+".lock"), flock.SetPermissions(0o644))
	if held, err := d.lock.TryLock(); err != nil {
		return nil, fmt.Errorf("the file of labels: %w; name another with --labels", err)
	} else if !held {
		return nil, fmt.Errorf("%s: another gavel label writes to it: "+
			"open its page, or name another file with --labels", o.Path)
	}
	err := d.open()
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Desk) open() error {
	all, err := d.openFile()
	if err != nil {
		return err
	}
	if err := d.draw(); err != nil {
		return err
	}
	return d.recall(all)
}

// Close lets go of the file. The lock's own file stays: who waits for it must wait for the same one.
func (d *Desk) Close() error { return d.lock.Unlock() }

// person returns who labels, and makes them if they are new.
func (d *Desk) person(who string) *person {
	p := d.people[who]
	if p == nil {
		if len(d.people) >= mostPeopleSeen { // who only looked is forgotten
			maps.DeleteFunc(d.people, func(_ string, p *person) bool { return len(p.said) == 0 })
		}
		p = &person{turns: d.turns(who), said: map[turn]string{}}
		d.people[who] = p
	}
	return p
}

// mostPeopleSeen is how many people are kept in mind who have said nothing.
const mostPeopleSeen = 50

// last returns what can be taken back. What is of another draw is not shown here.
func (p *person) last() (at turn, is bool) {
	for _, at = range slices.Backward(p.undo) {
		if slices.Contains(p.turns, at) {
			return at, true
		}
	}
	return at, false
}

// take takes up what a line of the file says.
func (p *person) take(at turn, l Label) {
	if k := slices.Index(p.undo, at); k >= 0 {
		p.undo = slices.Delete(p.undo, k, k+1)
	}
	if l.Undo {
		delete(p.said, at)
		return
	}
	p.undo = append(p.undo, at)
	p.said[at] = l.Label
}

// whoMay matches what a person may be called: it stands in addresses.
var whoMay = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{M}\p{N} .'_@-]{0,58}[\p{L}\p{M}\p{N}.'_@-])?$`)
})

// ErrWho is the error of a name that cannot be one.
var ErrWho = errors.New("a name has letters, digits, spaces and . " +
	"' _ @ -, at most 60 characters, begins with a letter or a digit, and ends with no space")

// CheckName returns an error unless somebody may be called so.
func CheckName(who string) error {
	if !whoMay().MatchString(who) {
		return ErrWho
	}
	return nil
}

// Next returns what a person is shown now.
func (d *Desk) Next(who string) (t Turn, err error) {
	if err := CheckName(who); err != nil {
		return t, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(who)
	t = Turn{Labeller: who, Total: len(p.turns), Finished: true}
	if at, is := p.last(); is {
		t.Undo = at.String()
	}
	var next turn
	for _, at := range p.turns {
		if _, done := p.said[at]; done {
			t.Done++
		} else if t.Finished {
			next, t.Finished = at, false
		}
	}
	if len(p.took) > 2 {
		usual := slices.Sorted(slices.Values(p.took))[len(p.took)/2]
		t.Left = time.Duration(t.Total-t.Done) * usual
	}
	if t.Finished {
		return t, nil
	}
	it, err := d.set.Item(next.item)
	if err != nil {
		return t, err
	}
	if p.at != next || p.shown.IsZero() {
		p.at, p.shown = next, d.o.Now()
	}
	t.Sum, err = sum(d.set, next.item)
	if err != nil {
		return t, err
	}
	t.At = next.item
	t.Again = next.again
	t.Shape = it.Shape
	t.Question = it.Question
	t.Ties = it.Shape.Info().Two
	for _, k := range d.order(who, it, next.again) {
		t.Shown = append(t.Shown, it.Candidates[k].Text)
	}
	return t, nil
}

// Answer is what a person says of the item they were shown.
type Answer struct {
	At     int    // as it was shown
	Sum    string // likewise
	Again  bool
	Choice string // "1" for what was shown first, "2" …; of a number, the number
	Tie    bool
	Skip   bool
	Note   string
}

// longestNote is how many characters a note may have.
const longestNote = 4000

// ErrAnswer is wrapped by the error of an answer that cannot be.
var ErrAnswer = errors.New("not an answer")

// Say keeps what a person says. Where it cannot be written nothing is kept, and the item is shown again.
func (d *Desk) Say(who string, s Answer) error {
	if err := CheckName(who); err != nil {
		return err
	}
	if s.At < 0 || s.At >= d.set.Len() {
		return fmt.Errorf("%w: %s has no such item", ErrAnswer, d.o.Name)
	}
	at := turn{s.At, s.Again}
	it, err := d.set.Item(at.item)
	if err != nil {
		return err
	}
	l := Label{
		Item:     it.ID,
		Labeller: who,
		Again:    s.Again,
		Note:     strings.TrimSpace(strings.ToValidUTF8(s.Note, "�")),
		Drawn:    ByRandom,
		Seed:     d.o.Seed,
	}
	l.SHA256, err = sum(d.set, at.item)
	if err != nil {
		return err
	}
	if l.SHA256 != s.Sum {
		return fmt.Errorf("%w: the page is of another dataset: load it again", ErrAnswer)
	}
	if utf8.RuneCountInString(l.Note) > longestNote {
		return fmt.Errorf("%w: the note is longer than %d characters", ErrAnswer, longestNote)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(who)
	if !slices.Contains(p.turns, at) {
		return fmt.Errorf("%w: %q is not among the items of %s", ErrAnswer, it.ID, who)
	}
	l.Label, err = s.label(it, d.order(who, it, s.Again))
	if err != nil {
		return err
	}
	if was, said := p.said[at]; said && was == l.Label && l.Note == "" {
		return d.file.add() // the same key twice
	}
	if err := d.file.add(l); err != nil {
		return err
	}
	if now := d.o.Now(); p.at == at && now.Sub(p.shown) < maxThink {
		p.took = append(p.took, now.Sub(p.shown))
	}
	p.take(at, l)
	return nil
}

// label returns the id of the candidate that is meant, or the number.
func (s Answer) label(it datasets.Item, order []int) (string, error) {
	switch {
	case s.Skip:
		return "", nil
	case s.Tie && it.Shape.Info().Two:
		return Tie, nil
	case s.Tie:
		return "", fmt.Errorf(`%w: the answer "neither is better" is only for items with two responses`, ErrAnswer)
	case it.Shape.Info().Numeric:
		n, is := number(s.Choice)
		if !is {
			return "", fmt.Errorf("%w: a number is expected, such as 1234.5", ErrAnswer)
		}
		return n, nil
	}
	k, err := strconv.Atoi(s.Choice)
	if err != nil || k < 1 || k > len(order) {
		return "", fmt.Errorf("%w: choose one of the %d that are shown", ErrAnswer, len(order))
	}
	return it.Candidates[order[k-1]].ID, nil
}

func (t turn) String() string { return fmt.Sprintf("%d %v", t.item, t.again) }

// Undo takes back what a person said last, which is at; that item is shown again. Where it is another by now nothing
// is done: a button was pressed twice.
func (d *Desk) Undo(who, at string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.person(who)
	last, is := p.last()
	if !is {
		return fmt.Errorf("%w: there is nothing to take back", ErrAnswer)
	}
	if last.String() != at {
		return nil
	}
	l := Label{Item: d.set.ID(last.item), Labeller: who, Again: last.again, Undo: true}
	if err := d.file.add(l); err != nil {
		return err
	}
	p.take(last, l)
	p.shown = time.Time{}
	return nil
}

// Done returns how many items each person has labelled, by name.
func (d *Desk) Done() (done []Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for who, p := range d.people {
		if len(p.said) == 0 {
			continue
		}
		x := Progress{Labeller: who, Total: len(p.turns)}
		for _, at := range p.turns {
			if label, said := p.said[at]; said && label == "" {
				x.Skipped++
			} else if said {
				x.Labelled++
			}
		}
		done = append(done, x)
	}
	slices.SortFunc(done, func(a, b Progress) int { return cmp.Compare(a.Labeller, b.Labeller) })
	return done
}

// Progress is how far a person is.
type Progress struct {
	Labeller                 string
	Labelled, Skipped, Total int
}

// Name returns the name of the dataset.
func (d *Desk) Name() string { return d.o.Name }

// SHA256 returns that of the dataset.
func (d *Desk) SHA256() string { return d.set.SHA256 }

// Path returns that of the file of labels.
func (d *Desk) Path() string { return d.o.Path }
