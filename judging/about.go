package judging

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AboutFile is the name of the file with a run's name, tags and note, which people write. No score depends on it.
const AboutFile = "about.json"

// RunDescription holds the name, tags and note that people give a run.
type RunDescription struct {
	Name string   `json:"name,omitempty"` // shown next to the folder's name
	Tags []string `json:"tags,omitempty"` // sorted, without duplicates
	Note string   `json:"note,omitempty"` // free text
}

// Limits of a [RunDescription]: the lengths in characters, maxTags in tags. maxAboutBytes limits the bytes read of
// about.json; a file at all other limits is smaller.
const (
	maxNameLength = 100
	maxTags       = 20
	maxTagLength  = 40
	maxNoteLength = 4000
	maxAboutBytes = 64 << 10
)

// Empty reports whether a has no name, no tag and no note.
func (a RunDescription) Empty() bool { return a.Name == "" && len(a.Tags) == 0 && a.Note == "" }

// Normalize returns a with its texts trimmed, and its tags split at commas and line ends, sorted and without
// duplicates. The error says which text is too long or has a control character, or how many tags there may be.
func (a RunDescription) Normalize() (RunDescription, error) {
	out := RunDescription{
		Name: strings.Join(strings.Fields(a.Name), " "),
		Note: strings.TrimSpace(strings.ReplaceAll(a.Note, "\r\n", "\n")),
	}
	for _, entry := range a.Tags {
		for tag := range strings.FieldsFuncSeq(entry, func(r rune) bool { return r == ',' || r == '\n' }) {
			tag = strings.Join(strings.Fields(tag), " ")
			if tag != "" {
				out.Tags = append(out.Tags, tag)
			}
		}
	}
	slices.Sort(out.Tags)
	out.Tags = slices.Compact(out.Tags)
	if len(out.Tags) > maxTags {
		return out, fmt.Errorf("there are %d tags, and at most %d", len(out.Tags), maxTags)
	}
	err := checkText("the name", out.Name, maxNameLength)
	for _, tag := range out.Tags {
		err = cmp.Or(err, checkText("a tag", tag, maxTagLength))
	}
	return out, cmp.Or(err, checkText("the note", out.Note, maxNoteLength))
}

// checkText returns an error for a text that has more than limit characters, or a control character other than a
// newline or tab. subject names the text in the error.
func checkText(subject, text string, limit int) error {
	if utf8.RuneCountInString(text) > limit {
		return fmt.Errorf("%s is longer than %d characters", subject, limit)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, control) {
		return errors.New("a name, tag or note has a control character in it")
	}
	return nil
}

// DecodeAbout reads the content of a run's about.json from r and normalizes it. path names the file in errors.
func DecodeAbout(path string, r io.Reader) (RunDescription, error) {
	var a RunDescription
	err := json.NewDecoder(io.LimitReader(r, maxAboutBytes)).Decode(&a)
	if err == nil {
		a, err = a.Normalize()
	}
	if err != nil {
		return RunDescription{}, fmt.Errorf("%s: damaged: %w", path, err)
	}
	return a, nil
}

// WriteAbout replaces about.json in the run's folder dir in one step, or removes the file if a is empty.
func WriteAbout(dir string, a RunDescription) error {
	path := filepath.Join(dir, AboutFile)
	if a.Empty() {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return WriteJSON(path, a)
}
