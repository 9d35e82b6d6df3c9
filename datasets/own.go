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

// ownFolder of a library has files of somebody's own that were taken in under a name, each with what is known of it and
// how its columns are read in NAME.json.
const ownFolder = "own"

// ownName matches the names of such datasets: names of files on every system, and no paths.
var ownName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// longestOwn limits the length of a name; that of its file has the first letters of a SHA-256 beside it.
const longestOwn = 51

// Lookup finds a dataset of the registry, or one of somebody's own, by name.
func (l Library) Lookup(name string) (Known, bool) {
	k, err := l.find(name)
	return k, err == nil
}

// find is Lookup with the reason why there is none: fs.ErrNotExist where nothing has the name.
func (l Library) find(name string) (Known, error) {
	if k, ok := Lookup(name); ok {
		return k, nil
	}
	return l.own(name)
}

// All are the datasets of the registry, then those of somebody's own by name.
func (l Library) All() []Known {
	all := slices.Clone(Registry())
	found, _ := filepath.Glob(filepath.Join(l.Dir, ownFolder, "*.json"))
	for _, at := range found {
		if k, err := l.own(strings.TrimSuffix(filepath.Base(at), ".json")); err == nil {
			all = append(all, k)
		}
	}
	return all
}

// own reads what is known of a dataset that was taken in; fs.ErrNotExist where there is none.
func (l Library) own(name string) (k Known, err error) {
	if !ownName.MatchString(name) {
		return k, fs.ErrNotExist
	}
	at := l.ownCard(name)
	text, err := os.ReadFile(at)
	if err != nil {
		return k, err
	}
	err = json.Unmarshal(text, &k)
	if err == nil &&
		(k.Name != name || k.File != ownFolder+"/"+path.Base(k.File) || !ownName.MatchString(path.Base(k.File))) {
		err = errors.New("it is of another dataset")
	}
	if err != nil {
		return k, fmt.Errorf("%s: %w: import the file again, with --as %s", at, err, name)
	}
	return k, nil
}

func (l Library) ownCard(name string) string { return filepath.Join(l.Dir, ownFolder, name+".json") }

// Own tells whether the dataset is a file of somebody's own.
func (k Known) Own() bool { return strings.HasPrefix(k.File, ownFolder+"/") }

// ImportOwn takes in a file of somebody's own under a name, with how its columns are read: the file is
// copied, and known by its SHA-256 from then on. before is what had the name until now, whose copy is gone;
// its SHA-256 is "" for nothing.
func (l Library) ImportOwn(file, name string, how Mapping) (k, before Known, s *Set, err error) {
	if !ownName.MatchString(name) || len(name) > longestOwn {
		return k, before, nil, fmt.Errorf("--as %q: a name is of letters, digits, - and _, at most %d", name, longestOwn)
	}
	if n := Nearest(name, Names()); n != "" && smetrics.WagnerFischer(name, n, 1, 1, 1) <= 1 {
		return k, before, nil, fmt.Errorf("--as %q: did you mean %s? A name of your own is further from it", name, n)
	}
	s, err = openFileWith(file, OpenOptions{Mapping: how})
	if err != nil {
		return k, before, nil, err
	}
	defer s.Close()
	sum := s.FileSum()
	k = Known{
		Name:    name,
		About:   "your own: " + filepath.Base(file),
		Rows:    s.Len(),
		SHA256:  sum,
		Licence: "your own",
		Source:  filepath.Base(file),
		File:    ownFolder + "/" + name + "-" + sum[:12],
		Format:  s.Format,
		Mapping: s.Mapping,
	}
	before, err = l.own(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		before = Known{} // a card that cannot be read is written anew
	}
	if info, err := os.Stat(file); err == nil {
		k.Bytes = info.Size()
	}
	_, err = l.storeFile(k, file)
	if err != nil {
		return k, before, nil, err
	}
	card, err := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = l.write(l.ownCard(name), card)
	}
	if err == nil && before.File != k.File && before.Own() {
		os.Remove(l.path(before))
	}
	return k, before, s, err
}

// unchanged checks the copy of an own file before a byte of it is read as anything.
func (l Library) unchanged(k Known) error {
	got, err := rows.FileSum(l.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the copy of %s that was taken in as %q is gone: import it again, with --as %s",
			k.Source, k.Name, k.Name)
	}
	if err == nil && got != k.SHA256 {
		err = fmt.Errorf("%s: it changed since it was taken in: SHA-256 is %s, was %s: "+
			"import %s again, with --as %s", l.path(k), got, k.SHA256, k.Source, k.Name)
	}
	return err
}

// write writes a file of the library in one step.
func (l Library) write(at string, text []byte) error {
	return disk.Write(at, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
