package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/xrash/smetrics"

	"gavel/datasets/rows"
	"gavel/internal/disk"
)

// userDatasetsFolder is the folder of files imported under a name. NAME.json describes each, with its mapping.
const userDatasetsFolder = "own"

// userDatasetName matches valid names of users' own datasets: valid file names on every system, and no paths.
var userDatasetName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// longestOwnDatasetName limits the letters in the name of a user's own dataset; its file's name adds part of a SHA-256.
const longestOwnDatasetName = 51

// Lookup finds a dataset by name, in the registry or among the user's own.
func (l Library) Lookup(name string) (Entry, bool) {
	k, err := l.find(name)
	return k, err == nil
}

// find works like Lookup, but returns an error: fs.ErrNotExist if no dataset has the name.
func (l Library) find(name string) (Entry, error) {
	if k, ok := Lookup(name); ok {
		return k, nil
	}
	return l.readCard(name)
}

// All lists the datasets of the registry, then the user's own by name.
func (l Library) All() []Entry {
	all := slices.Clone(Registry())
	cards, _ := filepath.Glob(filepath.Join(l.Dir, userDatasetsFolder, "*.json"))
	for _, card := range cards {
		if k, err := l.readCard(strings.TrimSuffix(filepath.Base(card), ".json")); err == nil {
			all = append(all, k)
		}
	}
	return all
}

// readCard reads the description of a user's own dataset, by name; fs.ErrNotExist if there is none.
func (l Library) readCard(name string) (k Entry, err error) {
	if !userDatasetName.MatchString(name) {
		return k, fs.ErrNotExist
	}
	cardPath := l.cardPath(name)
	text, err := os.ReadFile(cardPath)
	if err != nil {
		return k, err
	}
	err = json.Unmarshal(text, &k)
	if err == nil && (k.Name != name ||
		k.File != userDatasetsFolder+"/"+path.Base(k.File) ||
		!userDatasetName.MatchString(path.Base(k.File))) {
		err = errors.New("it describes another dataset")
	}
	if err != nil {
		return k, fmt.Errorf("%s: %w: import the file again, with --as %s", cardPath, err, name)
	}
	return k, nil
}

func (l Library) cardPath(name string) string {
	return filepath.Join(l.Dir, userDatasetsFolder, name+".json")
}

// IsUserDataset reports whether the dataset is a user's own file.
func (k Entry) IsUserDataset() bool { return strings.HasPrefix(k.File, userDatasetsFolder+"/") }

// ImportUserDataset imports a user's own file under a name, with the mapping of its columns. It copies the file and
// records the file's SHA-256. previous describes the dataset that had the name before, whose copy is removed; its
// SHA256 is "" if there was none.
func (l Library) ImportUserDataset(file, name string, mapping Mapping) (k, previous Entry, s *Set, err error) {
	if !userDatasetName.MatchString(name) || len(name) > longestOwnDatasetName {
		return k, previous, nil, fmt.Errorf("--as %q: use letters, digits, - and _, at most %d", name, longestOwnDatasetName)
	}
	if n := Nearest(name, Names()); n != "" && smetrics.WagnerFischer(name, n, 1, 1, 1) <= 1 {
		return k, previous, nil, fmt.Errorf("--as %q: did you mean %s? Otherwise choose a name that differs more", name, n)
	}
	s, err = openFileWith(file, OpenOptions{Mapping: mapping})
	if err != nil {
		return k, previous, nil, err
	}
	defer s.Close()
	sum := s.FileSHA256()
	k = Entry{
		Name:    name,
		About:   "your own: " + filepath.Base(file),
		Rows:    s.Len(),
		SHA256:  sum,
		Licence: "your own",
		Source:  filepath.Base(file),
		File:    userDatasetsFolder + "/" + name + "-" + sum[:12],
		Format:  s.Format,
		Mapping: s.Mapping,
	}
	previous, err = l.readCard(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		previous = Entry{} // an unreadable card is replaced
	}
	if info, err := os.Stat(file); err == nil {
		k.Bytes = info.Size()
	}
	_, err = l.storeFile(k, file)
	if err != nil {
		return k, previous, nil, err
	}
	card, err := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = l.write(l.cardPath(name), card)
	}
	if err == nil && previous.File != k.File && previous.IsUserDataset() {
		os.Remove(l.path(previous))
	}
	return k, previous, s, err
}

// checkCopy checks the SHA-256 of an own file's copy before anything reads it.
func (l Library) checkCopy(k Entry) error {
	got, err := rows.FileSHA256(l.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the copy of %s imported as %q is missing: import it again with --as %s",
			k.Source, k.Name, k.Name)
	}
	if err == nil && got != k.SHA256 {
		err = fmt.Errorf("%s: it changed after the import: SHA-256 is %s, was %s: "+
			"import %s again, with --as %s", l.path(k), got, k.SHA256, k.Source, k.Name)
	}
	return err
}

// write writes a file of the library in one step.
func (l Library) write(file string, text []byte) error {
	return disk.Write(file, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
