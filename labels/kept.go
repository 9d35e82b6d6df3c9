package labels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// log is a file that lines are added to, each on disk before it counts.
type log struct {
	file *os.File
	size int64 // of the lines that are whole
}

// openLog opens such a file, and cuts a last line off that was not finished when the machine or the program stopped: nobody
// was told that it is kept. A file with lines of another kind is an error, and is left alone.
func openLog(open func(flag int) (*os.File, error), path string) (l *log, all []Label, unfinished bool, err error) {
	f, err := open(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return nil, nil, false, err
	}
	l = &log{file: f}
	if err = l.regular(path); err == nil {
		all, unfinished, err = l.take(path)
	}
	if err != nil {
		return nil, nil, false, errors.Join(err, f.Close())
	}
	return l, all, unfinished, nil
}

func (l *log) regular(path string) error {
	info, err := l.file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	return err
}

// take reads the lines.
func (l *log) take(path string) (all []Label, unfinished bool, err error) {
	text, err := io.ReadAll(l.file)
	if err != nil {
		return nil, false, err
	}
	all, whole, err := ownLines(path, text)
	if err != nil {
		return nil, false, err
	}
	l.size = int64(whole)
	if unfinished = whole < len(text); unfinished {
		err = l.file.Truncate(l.size)
	}
	if err == nil && whole > 0 && text[whole-1] != '\n' {
		_, err = l.file.WriteAt([]byte("\n"), l.size)
		l.size++
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
		if all, whole = append(all, l), whole+len(line); ended {
			whole++
		}
	}
	return all, whole, nil
}

// lineBegins is how every line of ours begins.
var lineBegins = []byte(`{"item":`)

// write adds a line. What is not whole on disk is taken off again.
func (l *log) write(label Label) error {
	line, err := json.Marshal(label)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err = l.file.WriteAt(line, l.size); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(
			fmt.Errorf("this label was not saved: %w; earlier labels are saved: free some disk space, and label the item again", err),
			l.file.Truncate(l.size))
	}
	l.size += int64(len(line))
	return nil
}

// recall takes up what the file has.
func (d *Desk) recall(all []Label) error {
	unknown, changed, first, other := 0, 0, "", ""
	for _, l := range all {
		if l.Drawn == ByDisagreement && d.o.By != ByDisagreement {
			return fmt.Errorf("%s has items drawn by disagreement, and cannot take items chosen in another way: give --by disagreement and the same --sample, or name another file with --labels", d.o.Path)
		}
		if l.Seed != 0 && l.Seed != d.o.Seed {
			return fmt.Errorf("%s was begun with --seed %d, which says who is shown what on which side: give --seed %d, or name another file with --labels", d.o.Path, l.Seed, l.Seed)
		}
		if l.Drawn == ByDisagreement && l.Probability != d.chances[l.Item] {
			return fmt.Errorf("%s: %s was drawn in another draw than that of %s: put that file back, or name another with --labels", d.o.Path, l.Item, d.drawPath())
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
		return fmt.Errorf("%s: none of its %d labels is of an item of %s (%s is not): name another file with --labels", d.o.Path, unknown, d.o.Name, first)
	}
	if unknown > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: %d labels are of items that %s does not have now, such as %s; they stay in the file", d.o.Path, unknown, d.o.Name, first))
	}
	if changed > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: %d labels are of items that were changed since, such as %s: these are asked for again", d.o.Path, changed, other))
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
