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

// AboutFile is the file of a run that holds what people say of it. No number depends on it.
const AboutFile = "about.json"

// About is what people say of a run.
type About struct {
	Name string   `json:"name,omitempty"` // shown beside that of the folder
	Tags []string `json:"tags,omitempty"` // each once, by letter
	Note string   `json:"note,omitempty"`
}

// Bounds of what is said, in characters; mostAbout is more bytes than all of it has.
const (
	mostName  = 100
	mostTags  = 20
	mostTag   = 40
	mostNote  = 4000
	mostAbout = 64 << 10
)

// Empty tells whether nothing is said.
func (a About) Empty() bool { return a.Name == "" && len(a.Tags) == 0 && a.Note == "" }

// Tidied is what is said, without the space around it; tags are parted at commas and line ends as well. The error says
// what is too long.
func (a About) Tidied() (About, error) {
	out := About{
		Name: strings.Join(strings.Fields(a.Name), " "),
		Note: strings.TrimSpace(strings.ReplaceAll(a.Note, "\r\n", "\n")),
	}
	for _, given := range a.Tags {
		for tag := range strings.FieldsFuncSeq(given, func(r rune) bool { return r == ',' || r == '\n' }) {
			tag = strings.Join(strings.Fields(tag), " ")
			if tag != "" {
				out.Tags = append(out.Tags, tag)
			}
		}
	}
	slices.Sort(out.Tags)
	out.Tags = slices.Compact(out.Tags)
	if len(out.Tags) > mostTags {
		return out, fmt.Errorf("there are %d tags, and at most %d", len(out.Tags), mostTags)
	}
	err := checkText("the name", out.Name, mostName)
	for _, tag := range out.Tags {
		err = cmp.Or(err, checkText("a tag", tag, mostTag))
	}
	return out, cmp.Or(err, checkText("the note", out.Note, mostNote))
}

// checkText refuses a text that is too long or has control characters.
func checkText(what, text string, most int) error {
	if utf8.RuneCountInString(text) > most {
		return fmt.Errorf("%s is longer than %d characters", what, most)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, control) {
		return errors.New("a name, tag or note has a control character in it")
	}
	return nil
}

// DecodeAbout reads about.json; path is what errors call it.
func DecodeAbout(path string, r io.Reader) (About, error) {
	var a About
	err := json.NewDecoder(io.LimitReader(r, mostAbout)).Decode(&a)
	if err == nil {
		a, err = a.Tidied()
	}
	if err != nil {
		return About{}, fmt.Errorf("%s: damaged: %w", path, err)
	}
	return a, nil
}

// WriteAbout writes what is said of a run, in one step; where that is nothing, the file goes away.
func WriteAbout(dir string, a About) error {
	path := filepath.Join(dir, AboutFile)
	if a.Empty() {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return WriteJSON(path, a)
}
