package labels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// log is a file that lines are added to, each on disk before it counts. It is opened for every line: an editor, git or
// a program that syncs may have put another file in its place.
type log struct {
	open  func(flag int) (*os.File, error)
	path  string              // what errors call it
	text  []byte              // what the file had when it was opened, and what was added since
	seen  os.FileInfo         // of the file when it was last known to have that text
	adopt func([]Label) error // takes up a file that has other labels as well; nil where nobody holds them
}

// ErrChanged is wrapped by the error of a label that was not saved, since the file is not what it was.
var ErrChanged = errors.New("another program has changed the file")

// openLog opens such a file, and cuts a last line off that was not finished when the machine or the program stopped:
// nobody was told that it is kept. A file with lines of another kind is an error, and is left alone.
func openLog(open func(flag int) (*os.File, error), path string) (l *log, all []Label, unfinished bool, err error) {
	l = &log{open: open, path: path}
	f, _, err := l.file(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return nil, nil, false, err
	}
	defer f.Close()
	all, unfinished, err = l.take(f)
	if err == nil {
		l.seen, err = f.Stat()
	}
	return l, all, unfinished, err
}

// file opens what has the path now.
func (l *log) file(flag int) (*os.File, os.FileInfo, error) {
	f, err := l.open(flag)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", l.path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// take reads the lines.
func (l *log) take(f *os.File) (all []Label, unfinished bool, err error) {
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, false, err
	}
	all, whole, err := ownLines(l.path, text)
	if err != nil {
		return nil, false, err
	}
	l.text = text[:whole:whole]
	unfinished = whole < len(text)
	if unfinished {
		err = f.Truncate(int64(whole))
	}
	if err == nil && whole > 0 && text[whole-1] != '\n' {
		_, err = f.WriteAt([]byte("\n"), int64(whole))
		l.text = append(l.text, '\n')
	}
	return all, unfinished, err
}

// ownLines are the labels of gavel's own lines, and how long those are that are whole.
func ownLines(path string, text []byte) (all []Label, whole int, err error) {
	for n := 1; whole < len(text); n++ {
		line, _, ended := bytes.Cut(text[whole:], []byte("\n"))
		if !ended && !json.Valid(line) && (bytes.HasPrefix(line, lineBegins) || bytes.HasPrefix(lineBegins, line)) {
			return all, whole, nil // it was not finished
		}
		var has struct{ Item, Labeller *string }
		if json.Unmarshal(line, &has) != nil || has.Item == nil || has.Labeller == nil {
			return nil, 0, fmt.Errorf("%s:%d is no line that gavel label wrote: name another file with --labels", path, n)
		}
		l, err := parse(line)
		if err != nil {
			return nil, 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all, whole = append(all, l), whole+len(line)
		if ended {
			whole++
		}
	}
	return all, whole, nil
}

// lineBegins is how every line of ours begins.
var lineBegins = []byte(`{"item":`)

// write adds a line.
func (l *log) write(label Label) error {
	line, err := json.Marshal(label)
	if err != nil {
		return err
	}
	return l.keep(append(line, '\n'))
}

// mostReplaced is how often the file is written to again that was replaced while a line was added.
const mostReplaced = 3

// keep adds a line, or none, and sees to it that the file which has the path has all that was kept.
func (l *log) keep(line []byte) error {
	for range mostReplaced {
		kept, err := l.add(line)
		if err != nil {
			return fmt.Errorf("this label was not saved: %w", err)
		}
		if kept {
			return nil
		}
	}
	return fmt.Errorf("this label was not saved: %w, again and again: %s", ErrChanged, l.path)
}

// add adds a line at the end of the file that has the path, and before it what that file has lost. kept is false where
// another file has the path by then.
func (l *log) add(line []byte) (kept bool, err error) {
	f, was, err := l.file(os.O_RDWR | os.O_CREATE | os.O_APPEND)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lost, err := l.lost(f, was)
	if err != nil {
		return false, err
	}
	text := slices.Concat(lost, line)
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return false, errors.Join(
			fmt.Errorf("%w; earlier labels are saved: free some disk space, and label the item again", err), l.cut(was))
	}
	there, is, err := l.file(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	there.Close()
	if !os.SameFile(was, is) || is.Size() != was.Size()+int64(len(text)) {
		return false, nil
	}
	l.text = append(l.text, line...)
	l.seen = is
	return true, nil
}

// cut takes off a file what was not written to its end.
func (l *log) cut(was os.FileInfo) error {
	f, is, err := l.file(os.O_RDWR) // one that is opened to append cannot be cut on Windows
	if err != nil {
		return err
	}
	defer f.Close()
	if !os.SameFile(was, is) {
		return nil
	}
	return f.Truncate(was.Size())
}

// lost is what was kept and a file does not have: one that was cut short, or removed, gets it again. A file that has
// all of it and more is taken up; any other may have been changed on purpose, and is left alone.
func (l *log) lost(f *os.File, info os.FileInfo) ([]byte, error) {
	if os.SameFile(info, l.seen) && info.Size() == l.seen.Size() && info.ModTime().Equal(l.seen.ModTime()) {
		return nil, nil
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(l.text, text) {
		return l.text[len(text):], nil
	}
	all, whole, err := ownLines(l.path, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	ours, _, err := ownLines(l.path, l.text)
	if err != nil {
		return nil, err
	}
	missing := ours
	for _, label := range all {
		if len(missing) > 0 && label == missing[0] {
			missing = missing[1:]
		}
	}
	if whole < len(text) {
		return nil, fmt.Errorf("%w: the last line of %s is not finished", ErrChanged, l.path)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: %s lacks labels that were saved, such as that of %s by %s: "+
			"put it back, or start gavel label again to go on with it as it is",
			ErrChanged, l.path, missing[0].Item, missing[0].Labeller)
	}
	return l.takeUp(all, text)
}

// takeUp makes the text of a file that somebody else has added to what is known of it. What it lacks is at most the end
// of its last line.
func (l *log) takeUp(all []Label, text []byte) (end []byte, err error) {
	if l.adopt != nil {
		if err := l.adopt(all); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrChanged, err)
		}
	}
	if text[len(text)-1] != '\n' {
		end = []byte("\n")
	}
	l.text = slices.Concat(text, end)
	return end, nil
}

// reload takes up the labels of a file that somebody else has added to, in place of those known until now.
func (d *Desk) reload(all []Label) error {
	before := d.people
	d.people = map[string]*person{}
	err := d.recall(all)
	if err != nil {
		d.people = before
	}
	return err
}

// recall takes up what the file has.
func (d *Desk) recall(all []Label) error {
	unknown := 0
	changed := 0
	first := ""
	other := ""
	for _, l := range all {
		if l.Drawn == ByDisagreement {
			return fmt.Errorf("%s has items drawn by disagreement, and cannot take items drawn at random: "+
				"name another file with --labels", d.o.Path)
		}
		if l.Seed != 0 && l.Seed != d.o.Seed {
			return fmt.Errorf("%s was begun with --seed %d, which says who is shown what on which side: "+
				"give --seed %d, or name another file with --labels", d.o.Path, l.Seed, l.Seed)
		}
		i, is := d.set.IDs().Find(l.Item)
		if !is {
			unknown++
			first = cmp.Or(first, l.Item)
			continue
		}
		sum, err := d.sum(i)
		if err != nil {
			return err
		}
		if l.SHA256 != "" && l.SHA256 != sum {
			changed++
			other = cmp.Or(other, l.Item)
			continue
		}
		d.person(l.Labeller).take(turn{i, l.Again}, l)
	}
	if unknown > 0 && unknown == len(all) {
		return fmt.Errorf("%s: none of its %d labels is of an item of %s (%s is not): "+
			"name another file with --labels", d.o.Path, unknown, d.o.Name, first)
	}
	if unknown > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: %d labels are of items that %s does not have now, "+
			"such as %s; they stay in the file", d.o.Path, unknown, d.o.Name, first))
	}
	if changed > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: %d labels are of items that were changed since, "+
			"such as %s: these are asked for again", d.o.Path, changed, other))
	}
	return nil
}

// sum is what labels say of an item's line.
func (d *Desk) sum(i int) (string, error) {
	raw, err := d.set.Raw(i)
	if err != nil {
		return "", err
	}
	return Sum(raw), nil
}
