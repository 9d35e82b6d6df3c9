package labels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// labelFile is a file that lines are added to, each on disk before it counts. It is opened for every line: an editor,
// git or a program that syncs may have put another file in its place, and others may add lines at the same moment.
type labelFile struct {
	open   func(flag int) (*os.File, error)
	path   string              // what errors call it
	text   []byte              // the lines that it had when it was last read
	labels []Label             // these lines
	adopt  func([]Label) error // takes up a file that has other labels as well; nil where nobody holds them
}

// ErrChanged is wrapped by the error of a label that was not saved, since the file is not what it was.
var ErrChanged = errors.New("another program has changed the file")

// openLabelFile opens such a file, and cuts a last line off that was not finished when the machine or the program
// stopped: nobody was told that it is saved. A file with lines of another kind is an error, and is left alone.
func openLabelFile(open func(flag int) (*os.File, error), path string) (l *labelFile, unfinished bool, err error) {
	l = &labelFile{open: open, path: path}
	f, err := l.file(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, false, err
	}
	all, whole, err := ownLines(path, text)
	if err != nil {
		return nil, false, err
	}
	l.know(all, text[:whole])
	unfinished = whole < len(text)
	if unfinished {
		err = f.Truncate(int64(whole))
	}
	return l, unfinished, err
}

// file opens what has the path now.
func (l *labelFile) file(flag int) (*os.File, error) {
	f, err := l.open(flag)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", l.path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// know takes note of what the file has; a last line without its end is to get one.
func (l *labelFile) know(all []Label, text []byte) {
	l.labels = all
	l.text = slices.Clone(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		l.text = append(l.text, '\n')
	}
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

// mostReplaced is how often the file is written to that does not have what was written to it.
const mostReplaced = 3

// add adds labels, or none, and sees to it that the file which has the path has all that were added, each once.
func (l *labelFile) add(added ...Label) error {
	var lines []byte
	for _, label := range added {
		line, err := json.Marshal(label)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	for try := 0; ; try++ {
		missing, err := l.missing(added, lines)
		if err == nil && len(missing) == 0 {
			return nil
		}
		if err == nil && try == mostReplaced {
			err = fmt.Errorf("%w, again and again: %s", ErrChanged, l.path)
		}
		if err == nil {
			err = l.write(missing)
		}
		if err != nil {
			return fmt.Errorf("this label was not saved: %w", err)
		}
	}
}

// missing returns what the file lacks of what is known of it and of the lines to be added; none where they are saved.
// A file that was cut short, or removed, gets it all again. One that has all of it and more is taken up, and any other
// may have been changed on purpose, and is left alone.
func (l *labelFile) missing(added []Label, lines []byte) ([]byte, error) {
	f, err := l.file(os.O_RDONLY | os.O_CREATE)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	want := slices.Concat(l.text, lines)
	if rest, is := bytes.CutPrefix(want, text); is {
		if len(rest) == 0 {
			l.know(slices.Concat(l.labels, added), want)
		}
		return rest, nil
	}
	all, whole, err := ownLines(l.path, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	lacking := slices.Concat(l.labels, added)
	for _, label := range all {
		if len(lacking) > 0 && label == lacking[0] {
			lacking = lacking[1:]
		}
	}
	if len(lacking) > len(added) {
		return nil, fmt.Errorf("%w: %s lacks labels that were saved, such as that of %s by %s: "+
			"put it back, or start gavel label again to go on with it as it is",
			ErrChanged, l.path, lacking[0].Item, lacking[0].Labeller)
	}
	if len(lacking) == 0 {
		l.takeUpBeside(added, all, text[:whole])
		return nil, nil
	}
	if whole < len(text) {
		return nil, fmt.Errorf("%w: the last line of %s is not finished", ErrChanged, l.path)
	}
	if l.adopt != nil {
		err := l.adopt(all)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrChanged, err)
		}
	}
	l.know(all, text)
	return slices.Concat(l.text[len(text):], lines), nil
}

// takeUpBeside takes up a file that others wrote to while labels were added. These labels are saved, so that a file
// which cannot be taken up is left for the next one to complain of.
func (l *labelFile) takeUpBeside(added, all []Label, text []byte) {
	others := slices.Clone(all)
	for _, label := range added {
		last := len(others) - 1
		for others[last] != label {
			last--
		}
		others = slices.Delete(others, last, last+1)
	}
	if l.adopt == nil || l.adopt(others) == nil {
		l.know(all, text)
	}
}

// write adds lines at the end of the file that has the path. What cannot be written whole is cut off again.
func (l *labelFile) write(lines []byte) error {
	f, err := l.file(os.O_RDWR | os.O_CREATE | os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	n, err := f.Write(lines)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	return errors.Join(
		fmt.Errorf("%w; earlier labels are saved: free some disk space, and label the item again", err),
		l.cut(before, n))
}

// cut takes bytes off the end of the file that it was before they were written.
func (l *labelFile) cut(before os.FileInfo, written int) error {
	f, err := l.file(os.O_RDWR) // one that is opened to append cannot be cut on Windows
	if err != nil {
		return err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(before, now) || now.Size() != before.Size()+int64(written) {
		return err // another program has added to it
	}
	return f.Truncate(before.Size())
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
