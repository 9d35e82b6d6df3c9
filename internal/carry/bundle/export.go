package bundle

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// ExportRequest says what to pack into a bundle: at least one run or dataset.
type ExportRequest struct {
	Out      string   // file to write; it must not exist
	Runs     []string // folders of runs or of suites
	Datasets []string // names of fetched datasets
}

// Export packs runs, and datasets of lib, into a new bundle file and returns what it holds.
func Export(lib datasets.Library, r ExportRequest) (Contents, error) {
	b := &exporter{}
	switch _, err := os.Stat(r.Out); {
	case r.Out == "":
		return b.Contents, eval.InvalidField("out", "", "is missing: name the file to write")
	case err == nil:
		return b.Contents, fmt.Errorf("%s exists: name another file with --out, or remove it", r.Out)
	case len(r.Runs)+len(r.Datasets) == 0:
		return b.Contents, eval.ErrorOfKind(eval.ErrUsage,
			errors.New("nothing to export: name runs, or datasets with --dataset"))
	}
	for _, dir := range r.Runs {
		if err := b.addFolder(dir); err != nil {
			return b.Contents, err
		}
	}
	for _, name := range r.Datasets {
		if err := b.addDataset(lib, name); err != nil {
			return b.Contents, err
		}
	}
	return b.Contents, disk.Write(r.Out, b.write)
}

// exporter collects the files to pack into a bundle.
type exporter struct {
	Contents
	files []file
}

// file is a file to pack, with its name in the bundle and its path.
type file struct{ name, path string }

// add adds the file at path source under a name in the bundle, such as runs/NAME/run.json. It returns an error for a
// folder without a usable name, and for a name that is taken.
func (b *exporter) add(name, source string) error {
	switch {
	case !allowedName.MatchString(name):
		return fmt.Errorf("%s: name the folder itself, not a path such as . or .., and none that is hidden", source)
	case slices.ContainsFunc(b.files, func(f file) bool { return f.name == name }):
		return fmt.Errorf("two folders are called %s: rename one", strings.Split(name, "/")[1])
	}
	b.files = append(b.files, file{name: name, path: source})
	return nil
}

// addFolder adds the files of the run in the folder dir, or of the suite in it and the suite's runs.
func (b *exporter) addFolder(dir string) error {
	runs, err := judging.FindRuns([]string{dir}, 1, nil)
	if err != nil {
		return err
	}
	folder := filepath.Base(filepath.Clean(dir))
	for _, run := range runs {
		below, err := filepath.Rel(dir, run)
		if err == nil {
			err = b.addRun(path.Join(folder, filepath.ToSlash(below)), run)
		}
		if err != nil {
			return err
		}
	}
	suite := filepath.Join(dir, scoring.SuiteRunsFile)
	if disk.Exists(suite) {
		return b.add(path.Join("runs", folder, scoring.SuiteRunsFile), suite)
	}
	return nil
}

// addRun adds the files of the run in the folder run; name is its path below "runs" in the bundle.
func (b *exporter) addRun(name, run string) error {
	if _, err := judging.ReadManifest(run); err != nil { // has the clearest error for a missing file
		return err
	}
	for _, f := range runFiles {
		source := filepath.Join(run, f)
		optional := f == judging.ResultsFile || f == judging.AboutFile
		_, err := os.Stat(source)
		if optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s is incomplete: %w", run, err)
		}
		if err := b.add(path.Join("runs", name, f), source); err != nil {
			return err
		}
	}
	b.Runs = append(b.Runs, name)
	return nil
}

// addDataset adds the file of a fetched dataset; built-in datasets and files of the user's own are errors.
func (b *exporter) addDataset(lib datasets.Library, name string) error {
	dataset, ok := datasets.Lookup(name)
	source := lib.Path(name)
	switch {
	case slices.Contains(b.Datasets, name):
		return nil
	case !ok:
		return fmt.Errorf("unknown dataset %q: copy files of your own by hand", name)
	case dataset.Builtin():
		return fmt.Errorf("dataset %q is built into gavel and needs no bundle", name)
	}
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("dataset %q is not on this machine: gavel datasets fetch %s", name, name)
	}
	b.Datasets = append(b.Datasets, name)
	return b.add(path.Join("datasets", filepath.Base(source)), source)
}

// write writes the collected files to out as a bundle, each compressed, and their SHA-256 sums as the last file.
func (b *exporter) write(out io.Writer) error {
	tw := tar.NewWriter(out)
	var sums strings.Builder
	add := func(name string, text []byte) error {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), name)
		err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX})
		if err == nil {
			_, err = tw.Write(text)
		}
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	for _, f := range b.files {
		in, _, err := disk.Open(nil, f.path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err == nil {
			err = add(f.name+packedSuffix, enc.EncodeAll(text, nil))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	if err := add(sumsFile, []byte(sums.String())); err != nil {
		return err
	}
	return tw.Close()
}
