package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// ExportRequest says what goes into a bundle: at least one run or dataset.
type ExportRequest struct {
	Out      string   // file to write, of Export; it must not be there yet
	Runs     []string // folders, of runs or of suites
	Datasets []string // names of fetched datasets
}

// Export writes a bundle into a file, and returns its index.
func Export(m *eval.Maker, r ExportRequest) (*Index, error) {
	if r.Out == "" {
		return nil, eval.Wrong("out", "", "is missing: name the file to write")
	}
	if _, err := os.Stat(r.Out); err == nil {
		return nil, fmt.Errorf("%s is there already: name another file with --out, or remove it", r.Out)
	}
	b, err := gather(m, r)
	if err != nil {
		return nil, err
	}
	return &b.index, disk.Write(r.Out, func(w io.Writer) error { return writeTarball(w, b.files) })
}

// gather is all that goes into a bundle, its index first.
func gather(m *eval.Maker, r ExportRequest) (*exporting, error) {
	if len(r.Runs)+len(r.Datasets) == 0 {
		return nil, eval.Failed(eval.ErrUsage, errors.New("nothing to export: name runs, or datasets with --dataset"))
	}
	b := &exporting{
		index: Index{Schema: schema, Gavel: m.Version, Runs: []string{}, Datasets: []string{}, Prompts: []string{}},
	}
	for _, at := range r.Runs {
		if err := b.add(at); err != nil {
			return nil, err
		}
	}
	for _, name := range r.Datasets {
		if err := b.addDataset(m.Library, name); err != nil {
			return nil, err
		}
	}
	index, err := json.MarshalIndent(b.index, "", "  ")
	b.files = append([]bundled{{name: indexFile, text: append(index, '\n')}}, b.files...)
	return b, err
}

// exporting gathers what goes into a bundle.
type exporting struct {
	index Index
	files []bundled
}

// add takes a run along, or a suite.
func (b *exporting) add(at string) error {
	name := filepath.Base(filepath.Clean(at))
	if !plainName(name) {
		return fmt.Errorf("%s: name the folder itself, not a path such as . or .., and none that is hidden", at)
	}
	switch err := b.take(name, at, scoring.SuiteFile); {
	case errors.Is(err, fs.ErrNotExist):
		return b.addRun(name, at)
	case err != nil:
		return err
	case slices.Contains(b.index.Suites, name):
		return fmt.Errorf("two suites are called %s: rename the folder of one", name)
	case slices.Contains(b.index.Runs, name):
		return fmt.Errorf("a run and a suite are called %s: rename the folder of one", name)
	}
	b.index.Suites = append(b.index.Suites, name)
	entries, err := os.ReadDir(at)
	if err != nil {
		return err
	}
	for _, entry := range entries { // stages too
		run := filepath.Join(at, entry.Name())
		if _, err := os.Stat(filepath.Join(run, judging.ManifestFile)); err != nil || !plainName(entry.Name()) {
			continue
		}
		if err := b.addRun(path.Join(name, entry.Name()), run); err != nil {
			return err
		}
	}
	return nil
}

// take takes a file of a run's or a suite's folder along.
func (b *exporting) take(name, folder, file string) error {
	f := bundled{name: path.Join(runsFolder, name, file), path: filepath.Join(folder, file)}
	there, _, err := disk.Open(nil, f.path)
	if err != nil {
		return err
	}
	b.files = append(b.files, f)
	return there.Close()
}

func (b *exporting) addRun(name, run string) error {
	if slices.Contains(b.index.Runs, name) || slices.Contains(b.index.Suites, name) {
		return fmt.Errorf("two runs are called %s: rename the folder of one", name)
	}
	if err := b.take(name, run, judging.ManifestFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m, err := judging.ReadManifest(run) // says best what is missing
	if err != nil {
		return err
	}
	for _, f := range runFiles[1:] {
		if err := b.take(name, run, f); err != nil && !(errors.Is(err, fs.ErrNotExist) && slices.Contains(optionalFiles, f)) {
			return fmt.Errorf("%s is incomplete: %w", run, err)
		}
	}
	b.index.Runs = append(b.index.Runs, name)
	if m.Spec.Prompt.Origin == "file" {
		if err := b.addPrompt(m.Spec.Prompt); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(run, judging.ManifestFile), err)
		}
	}
	return nil
}

// addPrompt takes along a prompt that was a file, so that it can be run there.
func (b *exporting) addPrompt(t judging.Template) error {
	name := fmt.Sprintf("%.8s-%s", t.SHA256, filepath.Base(t.Name))
	if len(t.SHA256) < 8 || !plainName(name) {
		return fmt.Errorf("damaged: %q, %q cannot be the sum and the name of its prompt", t.SHA256, t.Name)
	}
	if !slices.Contains(b.index.Prompts, name) {
		b.index.Prompts = append(b.index.Prompts, name)
		b.files = append(b.files, bundled{name: path.Join(promptsFolder, name), text: []byte(t.System + "\n")})
	}
	return nil
}

func (b *exporting) addDataset(lib datasets.Library, name string) error {
	if slices.Contains(b.index.Datasets, name) {
		return nil
	}
	known, ok := datasets.Lookup(name)
	switch {
	case !ok:
		return fmt.Errorf("unknown dataset %q: copy files of your own by hand", name)
	case known.Builtin():
		return fmt.Errorf("dataset %q is built into gavel and needs no bundle", name)
	}
	at := lib.Path(name)
	if _, err := os.Stat(at); err != nil {
		return fmt.Errorf("dataset %q is not on this machine: gavel datasets fetch %s", name, name)
	}
	b.index.Datasets = append(b.index.Datasets, name)
	b.files = append(b.files, bundled{name: path.Join(datasetFolder, filepath.Base(at)), path: at})
	return nil
}
