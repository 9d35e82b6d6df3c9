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

// labelAppender adds lines to the end of the file of labels; each counts only once it is on disk. It opens the file for
// every line: an editor, git or a sync program may have replaced it.
type labelAppender struct {
	openFile func() (*os.File, error) // opens the file for reading and writing; creates it if needed
	path     string                   // path of the file, for errors
	fileText []byte                   // content that the file should have
}

// ErrChanged marks the error of a label that was not saved because another program has changed the file.
var ErrChanged = errors.New("another program has changed the file")

// openFile opens the file of labels and returns the labels in it. It removes an unfinished last line, which was never
// reported as saved. If the file has lines of another kind, it returns an error and leaves the file alone.
func (d *Desk) openFile() ([]Label, error) {
	d.file = &labelAppender{
		path:     d.Path,
		openFile: func() (*os.File, error) { return os.OpenFile(d.Path, os.O_RDWR|os.O_CREATE, 0o644) },
	}
	f, err := d.file.openFile()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Reading at an offset fails for a pipe, which might never end.
	text, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64))
	if err != nil {
		return nil, err
	}
	all, whole, err := parseGavelLines(d.Path, text)
	if err != nil {
		return nil, err
	}
	d.file.fileText = text[:whole]
	if whole < len(text) {
		d.addUserMessage("the last line was incomplete and has been removed: that item is shown again")
		return all, f.Truncate(int64(whole))
	}
	if whole > 0 && text[whole-1] != '\n' {
		d.file.fileText = append(text, '\n')
	}
	return all, nil
}

// parseGavelLines returns the labels in text, lines that gavel wrote, and the length in bytes of the complete lines.
// Other lines are an error.
func parseGavelLines(path string, text []byte) (all []Label, whole int, err error) {
	for line := range bytes.Lines(text) {
		n := len(all) + 1
		if !bytes.HasSuffix(line, []byte("\n")) && !json.Valid(line) &&
			(bytes.HasPrefix(line, lineBegins) || bytes.HasPrefix(lineBegins, line)) {
			return all, whole, nil // unfinished line
		}
		var has struct{ Item, Labeller *string }
		if json.Unmarshal(line, &has) != nil || has.Item == nil || has.Labeller == nil {
			return nil, 0, fmt.Errorf("%s:%d was not written by gavel label: name another file with --labels", path, n)
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

// lineBegins is the beginning of every line that gavel writes to a file of labels.
var lineBegins = []byte(`{"item":`)

// add appends labels, or none, and makes sure that the file has all lines so far. It writes all of them again if the
// file was truncated or removed. A file with other lines may have been changed on purpose, so that is an error.
func (l *labelAppender) add(added ...Label) error {
	want := slices.Clone(l.fileText)
	for _, label := range added {
		line, err := json.Marshal(label)
		if err != nil {
			return err
		}
		want = append(append(want, line...), '\n')
	}
	err := l.appendMissingLines(want)
	if err != nil {
		return fmt.Errorf("this label was not saved: %w", err)
	}
	l.fileText = want
	return nil
}

// appendMissingLines adds the lines of want that the file lacks, or none of them. It returns an error if the file's
// content is not the beginning of want.
func (l *labelAppender) appendMissingLines(want []byte) error {
	f, err := l.openFile()
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	rest, ok := bytes.CutPrefix(want, text)
	if !ok {
		return fmt.Errorf("%w: %s has lines that gavel label did not write: "+
			"restore it, or start gavel label again to continue with it as it is", ErrChanged, l.path)
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

// restoreLabels applies labels read from the file to people's states, and notes those that no longer fit the dataset.
func (d *Desk) restoreLabels(all []Label) error {
	var unknown, changed strayLabels
	for _, l := range all {
		if l.DrawMethod == DrawnByDisagreement {
			return fmt.Errorf("%s has items drawn by disagreement, and cannot take items drawn at random: "+
				"name another file with --labels", d.Path)
		}
		if l.Seed != 0 && l.Seed != d.Seed {
			return fmt.Errorf("%s was started with --seed %d, which determines the order and the sides: "+
				"give --seed %d, or name another file with --labels", d.Path, l.Seed, l.Seed)
		}
		i, ok := d.set.Find(l.Item)
		if !ok {
			unknown.add(l.Item)
			continue
		}
		line, err := itemSHA256(d.set, i)
		if err != nil {
			return err
		}
		if l.SHA256 != "" && l.SHA256 != line {
			changed.add(l.Item)
			continue
		}
		d.person(l.Labeller).applyLabel(turn{i, l.Repeat}, l)
	}
	if unknown.n > 0 && unknown.n == len(all) {
		return fmt.Errorf("%s: none of its %d labels belongs to an item of %s (%s does not): "+
			"name another file with --labels", d.Path, unknown.n, d.DatasetName, unknown.first)
	}
	if unknown.n > 0 {
		d.addUserMessage("%d labels belong to items that %s no longer has, such as %s; they stay in the file",
			unknown.n, d.DatasetName, unknown.first)
	}
	if changed.n > 0 {
		d.addUserMessage("%d labels belong to items that have changed since, such as %s; these items are shown again",
			changed.n, changed.first)
	}
	return nil
}

// addUserMessage adds a message for the user about the file of labels.
func (d *Desk) addUserMessage(format string, args ...any) {
	d.FileMessages = append(d.FileMessages, d.Path+": "+fmt.Sprintf(format, args...))
}

// strayLabels counts labels whose items the dataset lacks, or that have changed.
type strayLabels struct {
	n     int    // number of such labels
	first string // the first such item, for a message
}

func (s *strayLabels) add(item string) {
	s.n++
	s.first = cmp.Or(s.first, item)
}

// itemSHA256 returns the SHA-256 of the line of item i, in hexadecimal, as labels store it.
func itemSHA256(set *datasets.Set, i int) (string, error) {
	raw, err := set.Raw(i)
	if err != nil {
		return "", err
	}
	return datasets.HexSum(raw), nil
}
