package labels

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// mend cuts a last line off that was not finished when the machine or the program stopped: nobody was told that it is kept.
func (d *Desk) mend() error {
	text, err := os.ReadFile(d.o.Path)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	switch rest := text[whole:]; {
	case len(rest) == 0:
	case json.Valid(rest):
		if _, err := d.file.WriteString("\n"); err != nil {
			return err
		}
		whole = len(text) + 1
	default:
		d.Notes = append(d.Notes, fmt.Sprintf("%s: the last line was not finished, and is left out: that label is asked for again", d.o.Path))
		if err := d.file.Truncate(int64(whole)); err != nil {
			return err
		}
	}
	d.size = int64(whole)
	return nil
}

// recall takes up what the file has.
func (d *Desk) recall(all []Label) error {
	unknown, changed, first, other := 0, 0, "", ""
	for _, l := range all {
		if p := d.chances[l.Item]; d.o.By == ByDisagreement && l.Drawn == ByDisagreement && l.Probability != p {
			return fmt.Errorf("%s: %s was drawn by other runs, or with another --sample or --seed: give the same, or name another file with --labels", d.o.Path, l.Item)
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

// write adds a line. What is not whole on disk is taken off again.
func (d *Desk) write(l Label) error {
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err = d.file.Write(append(line, '\n')); err == nil {
		err = d.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the label was not kept: %w; those before it are: make room, and say it again", err), d.file.Truncate(d.size))
	}
	d.size += int64(len(line)) + 1
	return nil
}
