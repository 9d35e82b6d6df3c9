package labels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"gavel/datasets"
)

// labelFile is a file that lines are added to, each on disk before it counts. It is opened for every line: an editor,
// git or a program that syncs may have put another file in its place.
type labelFile struct {
	open func() (*os.File, error)
	path string // what errors call it
	text []byte // the lines that it is to have
}

// ErrChanged is wrapped by the error of a label that was not saved, since the file is not what it was.
var ErrChanged = errors.New("another program has changed the file")

// openFile opens the file of labels and returns its lines, and cuts a last line off that was not finished when the
// machine or the program stopped: nobody was told that it is saved. A file with lines of another kind is an error, and
// is left alone.
func (d *Desk) openFile() ([]Label, error) {
	d.file = &labelFile{
		path: d.o.Path,
		open: func() (*os.File, error) { return os.OpenFile(d.o.Path, os.O_RDWR|os.O_CREATE, 0o644) },
	}
	f, err := d.file.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A pipe, whose end would never come, cannot be read at an offset: that is an error.
	text, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64))
	if err != nil {
		return nil, err
	}
	all, whole, err := ownLines(d.o.Path, text)
	if err != nil {
		return nil, err
	}
	d.file.text = text[:whole]
	if whole < len(text) {
		d.note("the last line was not finished, and is left out: that label is asked for again")
		return all, f.Truncate(int64(whole))
	}
	if whole > 0 && text[whole-1] != '\n' {
		d.file.text = append(text, '\n')
	}
	return all, nil
}

// ownLines returns the labels of a text of gavel's lines, and the length of the lines that are whole.
func ownLines(path string, text []byte) (all []Label, whole int, err error) {
	for line := range bytes.Lines(text) {
		n := len(all) + 1
		if !bytes.HasSuffix(line, []byte("\n")) && !json.Valid(line) &&
			(bytes.HasPrefix(line, lineBegins) || bytes.HasPrefix(lineBegins, line)) {
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
		all = append(all, l)
		whole += len(line)
	}
	return all, whole, nil
}

// lineBegins is how every line of ours begins.
var lineBegins = []byte(`{"item":`)

// add adds labels, or none, and sees to it that the file which has the path has all that were added. One that was cut
// short, or removed, gets it all again. One with other lines may have been changed on purpose, and is left alone.
func (l *labelFile) add(added ...Label) error {
	want := slices.Clone(l.text)
	for _, label := range added {
		line, err := json.Marshal(label)
		if err != nil {
			return err
		}
		want = append(append(want, line...), '\n')
	}
	err := l.complete(want)
	if err != nil {
		return fmt.Errorf("this label was not saved: %w", err)
	}
	l.text = want
	return nil
}

// complete writes what the file lacks of its lines. What cannot be written whole is cut off again.
func (l *labelFile) complete(want []byte) error {
	f, err := l.open()
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	rest, is := bytes.CutPrefix(want, text)
	if !is {
		return fmt.Errorf("%w: %s has lines that gavel label did not write to it: "+
			"put it back, or start gavel label again to go on with it as it is", ErrChanged, l.path)
	}
	_, err = f.Write(rest)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	return errors.Join(
		fmt.Errorf("%w; earlier labels are saved: free some disk space, and label the item again", err),
		f.Truncate(int64(len(text))))
}

// recall takes the labels of the file up.
func (d *Desk) recall(all []Label) error {
	var unknown, changed stray
	for _, l := range all {
		if l.Drawn == ByDisagreement {
			return fmt.Errorf("%s has items drawn by disagreement, and cannot take items drawn at random: "+
				"name another file with --labels", d.o.Path)
		}
		if l.Seed != 0 && l.Seed != d.o.Seed {
			return fmt.Errorf("%s was begun with --seed %d, which says who is shown what on which side: "+
				"give --seed %d, or name another file with --labels", d.o.Path, l.Seed, l.Seed)
		}
		i, is := d.set.Find(l.Item)
		if !is {
			unknown.add(l.Item)
			continue
		}
		line, err := sum(d.set, i)
		if err != nil {
			return err
		}
		if l.SHA256 != "" && l.SHA256 != line {
			changed.add(l.Item)
			continue
		}
		d.person(l.Labeller).take(turn{i, l.Again}, l)
	}
	if unknown.n > 0 && unknown.n == len(all) {
		return fmt.Errorf("%s: none of its %d labels is of an item of %s (%s is not): "+
			"name another file with --labels", d.o.Path, unknown.n, d.o.Name, unknown.first)
	}
	if unknown.n > 0 {
		d.note("%d labels are of items that %s does not have now, such as %s; they stay in the file",
			unknown.n, d.o.Name, unknown.first)
	}
	if changed.n > 0 {
		d.note("%d labels are of items that were changed since, such as %s: these are asked for again",
			changed.n, changed.first)
	}
	return nil
}

// note adds to what there is to say of the file.
func (d *Desk) note(format string, args ...any) {
	d.Notes = append(d.Notes, d.o.Path+": "+fmt.Sprintf(format, args...))
}

// stray counts labels that are not of items as they are now.
type stray struct {
	n     int
	first string
}

func (s *stray) add(item string) {
	s.n++
	s.first = cmp.Or(s.first, item)
}

// sum returns the SHA-256 of an item's line, as labels have it.
func sum(set *datasets.Set, i int) (string, error) {
	raw, err := set.Raw(i)
	if err != nil {
		return "", err
	}
	return Sum(raw), nil
}
