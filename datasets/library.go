package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"gavel/internal/disk"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Library is the folder of fetched and imported datasets, one file each, named after the dataset; several datasets may
// share a file. If no SHA-256 is published, FILE.sha256 holds that of the imported file.
type Library struct{ Dir string }

// extensions lists the file extensions in the library. They inform people: gavel detects formats by the first bytes.
var extensions = strings.Fields(
	".jsonl .parquet .json .jsonl.gz .json.gz .jsonl.zst .json.zst .parquet.gz .csv .tsv .csv.gz .tsv.gz",
)

// extension returns the known extension of a file or URL, or ".jsonl".
func extension(name string) string {
	for _, e := range extensions {
		if strings.HasSuffix(strings.ToLower(name), e) {
			return e
		}
	}
	return extensions[0]
}

// fileName returns the name of a dataset's file without extension.
func (k Entry) fileName() string { return cmp.Or(k.File, k.Name) }

// extension returns the extension of the published file.
func (k Entry) extension() string {
	address, _, _ := strings.Cut(k.URL, "?")
	return extension(address)
}

// Path returns the path of a dataset's file, whether it exists or not.
func (l Library) Path(name string) string {
	k, ok := l.Lookup(name)
	if !ok {
		k = Entry{Name: name}
	}
	return l.path(k)
}

func (l Library) path(k Entry) string {
	for _, e := range extensions {
		path := filepath.Join(l.Dir, k.fileName()+e)
		if disk.Exists(path) {
			return path
		}
	}
	return filepath.Join(l.Dir, k.fileName()+k.extension())
}

// checksumPath returns the path of the text file that holds the SHA-256 of a dataset's file, if none is published.
func checksumPath(path string) string { return path + ".sha256" }

// Has reports whether a dataset is built in or in the library.
func (l Library) Has(k Entry) bool {
	return k.Builtin() || disk.Exists(l.path(k))
}

// Open opens a dataset by name, or a file by path, with the default options.
func (l Library) Open(name string) (*Set, error) { return l.OpenWith(name, OpenOptions{}) }

// OpenWith opens a dataset by name, or by path if the name is unknown.
func (l Library) OpenWith(name string, o OpenOptions) (*Set, error) {
	k, err := l.find(name)
	switch {
	case k.Builtin():
		return openBytes(k.Name, k.builtinContent, o)
	case err == nil:
		return l.openKnown(k, o)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	s, err := openFileWith(name, o)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, UnknownError(name)
	}
	return s, err
}

// openKnown opens the file of a dataset in the library, and checks the file's SHA-256.
func (l Library) openKnown(k Entry, o OpenOptions) (*Set, error) {
	if o.Groups == nil {
		o.Groups = k.Groups
	}
	if o.Mapping.empty() && len(o.LabelValues) == 0 {
		o.Mapping = k.Mapping
	}
	if k.IsUserDataset() {
		if err := l.checkCopy(k); err != nil {
			return nil, err
		}
	}
	s, err := openFileWith(l.path(k), o)
	if errors.Is(err, fs.ErrNotExist) {
		if k.Get != "" {
			return nil, fmt.Errorf("dataset %q is not on this machine: %s; see %s", k.Name, k.Get, k.Source)
		}
		return nil, fmt.Errorf("dataset %q is not on this machine: run \"gavel datasets fetch %s\", "+
			"or on a machine without network \"gavel datasets import %sFILE\"", k.Name, k.Name, k.importFlag())
	}
	if err != nil {
		return nil, err
	}
	want := k.SHA256
	expected := "published"
	if want == "" {
		expected = "that of the imported file"
		want, err = l.storedSHA256(k)
	}
	if sum := s.FileSHA256(); err == nil && sum != want {
		err = fmt.Errorf("%s: SHA-256 is %s, %s is %s: fetch or import it again", s.Path, sum, expected, want)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Name = k.Name
	return s, nil
}

// importFlag returns the flag that import needs if there is no published SHA-256 to recognise the file by.
func (k Entry) importFlag() string {
	if k.SHA256 != "" || k.Copy != "" {
		return ""
	}
	return "--as " + k.Name + " "
}

// storedSHA256 reads the SHA-256 stored for a dataset's file.
func (l Library) storedSHA256(k Entry) (string, error) {
	text, err := os.ReadFile(checksumPath(l.path(k)))
	if err != nil {
		return "", fmt.Errorf("%s: its SHA-256 is missing: fetch or import it again", l.path(k))
	}
	sum, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return sum, nil
}

// Import copies the file at path into the library, and returns its dataset and the path of the copy. The file is
// recognised by its SHA-256 or, if as is not "", imported as the dataset of that name, whose format it must have. Other
// files are rejected: a user opens an own file by its path.
func (l Library) Import(path, as string) (Entry, string, error) {
	dataset, _ := Lookup(as)
	s, err := openFileWith(path, OpenOptions{Mapping: dataset.Mapping})
	if err != nil {
		return Entry{}, "", err
	}
	defer s.Close()
	k, err := recogniseDataset(s, as)
	if err != nil {
		return k, "", err
	}
	target, err := l.storeFile(k, path)
	return k, target, err
}

// recogniseDataset finds the dataset of an opened file: the one named as or, if as is "", the one with its SHA-256.
func recogniseDataset(s *Set, as string) (Entry, error) {
	if as == "" {
		for _, k := range Registry() {
			if !k.Builtin() && (s.FileSHA256() == k.SHA256 || s.FileSHA256() == k.Copy) {
				return k, nil
			}
		}
		return Entry{}, fmt.Errorf("%s: no published file has its SHA-256 %s: "+
			"name a dataset without a published sum with --as (\"gavel datasets list\" lists the names), "+
			"choose a new name with --as for a file of your own, or use its path with --dataset",
			s.Path, s.FileSHA256())
	}
	k, ok := Lookup(as)
	switch {
	case !ok || k.Builtin():
		return k, fmt.Errorf("unknown dataset %q: no dataset of that name can be imported", as)
	case k.SHA256 != "" && k.SHA256 != s.FileSHA256():
		return k, fmt.Errorf("%s: SHA-256 is %s, published is %s: it is not %s", s.Path, s.FileSHA256(), k.SHA256, as)
	}
	return k, k.check(s, s.Path)
}

// maxFetched limits the size of a download whose size is not published.
const maxFetched = 4 << 30

// stall is the time without data after which a download fails.
var stall = time.Minute

// stallReader is the reader of a download. It restarts the timer alarm, which ends the download, whenever data arrives.
type stallReader struct {
	io.Reader
	alarm *time.Timer
}

func (a stallReader) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.alarm.Reset(stall)
	}
	return n, err
}

// Fetch downloads a dataset from its official place and checks its SHA-256, if one is published. Unlike requests to
// judges' servers, it follows redirects, since official places keep files on other hosts; no key and no cookie is sent.
// If the size is not published, size, which may be nil, gets the server's value before the download, -1 if unknown.
func (l Library) Fetch(ctx context.Context, client *http.Client, k Entry, size func(bytes int64)) error {
	switch {
	case k.Builtin():
		return fmt.Errorf("dataset %q is built in: there is nothing to fetch", k.Name)
	case k.URL == "":
		return fmt.Errorf("dataset %q cannot be fetched: %s", k.Name, k.Get)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(stall, func() { cancel(fmt.Errorf("no data for %s", stall)) })
	defer alarm.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.URL, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("fetching %s: %w; on a machine without network, "+
			"copy the file here and use \"gavel datasets import %sFILE\"", k.Name, err, k.importFlag())
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("fetching %s: %s answered %s", k.Name, k.URL, resp.Status)
	}
	limit := k.Bytes
	if k.SHA256 == "" {
		limit = maxFetched
		if size != nil {
			size(resp.ContentLength)
		}
	}
	_, err = l.store(k, io.LimitReader(stallReader{resp.Body, alarm}, limit+1), k.extension())
	return err
}

// storeFile copies the file at path to the library as the dataset k, and returns the path of the copy.
func (l Library) storeFile(k Entry, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return l.store(k, f, extension(path))
}

// store writes the file that r yields to the library in one step, with the extension ext, and returns its path. A file
// with another SHA-256 than k's, or without the items of k, never gets the name of k's file.
func (l Library) store(k Entry, r io.Reader, ext string) (string, error) {
	dir := filepath.Dir(l.path(k))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	disk.Sweep(dir)
	name := k.fileName() + ext
	part, err := disk.CreatePartial(root, name)
	if err != nil {
		return "", err
	}
	defer part.Discard()
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(part, sum), r)
	if err != nil {
		return "", fmt.Errorf("storing %s: %w", k.Name, err)
	}
	got := fmt.Sprintf("%x", sum.Sum(nil))
	path := filepath.Join(l.Dir, name)
	if k.SHA256 == "" {
		if err := checkReadable(part.Name(), k); err != nil {
			return "", fmt.Errorf("%s: %w: nothing was stored", k.Name, err)
		}
		if err := l.write(checksumPath(path), []byte(got+"  "+filepath.Base(path))); err != nil {
			return "", err
		}
	} else if got != k.SHA256 && k.IsUserDataset() {
		return "", fmt.Errorf("%s: the file changed while it was being read: nothing was stored", k.Source)
	} else if got != k.SHA256 {
		return "", fmt.Errorf("%s: the file received has SHA-256 %s, published is %s: nothing was stored",
			k.Name, got, k.SHA256)
	}
	if err := part.Commit(); err != nil {
		return "", err
	}
	for _, e := range extensions {
		if other := filepath.Join(l.Dir, k.fileName()+e); other != path { // a file of the same dataset
			os.Remove(other)
			os.Remove(checksumPath(other))
		}
	}
	return path, nil
}

// checkReadable checks that a file without a published SHA-256 can be read as the dataset.
func checkReadable(path string, k Entry) error {
	s, err := openFileWith(path, OpenOptions{Mapping: k.Mapping})
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), path, "the file received"))
	}
	defer s.Close()
	return k.check(s, "the file received")
}

// check returns an error if s, an opened file, does not have the dataset's format and groups. file names it in errors.
func (k Entry) check(s *Set, file string) error {
	if s.Format != k.Format {
		return fmt.Errorf("%s has the format %s, %s has %s", file, s.Format, k.Name, k.Format)
	}
	for _, g := range k.Groups {
		if !slices.Contains(s.Groups(), g) {
			return fmt.Errorf("%s has no item of the group %s; groups: %s", file, g, shortList(s.Groups()))
		}
	}
	return nil
}

// UnpublishedChecksumNotes returns a sentence about the SHA-256 of a dataset's file in the library; none if the sum is
// published.
func (l Library) UnpublishedChecksumNotes(k Entry) ([]string, error) {
	if k.SHA256 != "" {
		return nil, nil
	}
	sum, err := l.storedSHA256(k)
	switch {
	case err != nil:
		return nil, err
	case k.Copy == "":
		return []string{fmt.Sprintf("its SHA-256 is %s; keep it with your results", sum)}, nil
	case sum == k.Copy:
		return []string{fmt.Sprintf("its SHA-256 is %s, that of the copy gavel was tested with", sum)}, nil
	}
	return []string{fmt.Sprintf("its SHA-256 is %s, not that of the copy gavel was tested with (%s): "+
		"it may be another revision", sum, k.Copy)}, nil
}
