// Package checks tests whether a judge meets the requirements in a file, and finds what changed since a baseline run.
// It asks the judge only as long as the decisions take.
package checks

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/suite"
	"gavel/judging"
	"gavel/scoring"
)

// File holds a check's file: a judge, items, requirements, and the baseline from which --write made it.
type File struct {
	content
	path         string
	request      eval.RunRequest // asks the judge about the items
	requirements []Requirement
	baselineRun  *scoring.Run // of the requirement sameAsRequirement; may be nil
	anchorsPath  string       // path of the anchors
}

// content mirrors the YAML of the file.
type content struct {
	Judge, On      map[string]yaml.Node // fields of a request
	Require        map[string]yaml.Node
	AtMost         string            `yaml:"at most"`
	Identity       map[string]string // parts of the baseline's identity, see [identityOf]
	AnchorVerdicts map[string]string `yaml:"anchor verdicts"` // verdicts of the baseline on the anchors, by id
}

// sameAsRequirement is the name of the requirement that the headline is that of the baseline run.
const sameAsRequirement = "same as"

// boundsPattern matches what is required of a metric, without spaces: at least, at most, from, to.
var boundsPattern = regexp.MustCompile(strings.ReplaceAll(`^(?:>=N|<=N|N\.\.N)%?$`, "N", `(-?\d*\.?\d+)`))

// BaselineDir returns the folder of the run that the file compares the judge with, or an error if it names none.
func (f *File) BaselineDir() (string, error) {
	if f.baselineRun == nil {
		return "", suite.ErrorAtLine(f.path, 0,
			"%s is missing: it names the run in which the judge was measured", sameAsRequirement)
	}
	return f.baselineRun.Dir, nil
}

// Open reads a check's file. Errors about its content name the line.
func Open(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path}
	decoder := yaml.NewDecoder(strings.NewReader(backends.TakePasswords(string(raw))))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f.content); err != nil {
		return nil, suite.SyntaxError(path, raw, err)
	}
	if err := f.readRequest(); err != nil {
		return nil, f.blame(err)
	}
	node := f.On["anchors"]
	f.anchorsPath = f.relative(node.Value)
	anchors, err := os.ReadFile(f.anchorsPath)
	if f.AnchorVerdicts != nil && (err != nil || f.Identity["anchors"] != shortSum(string(anchors))) {
		return nil, suite.ErrorAtLine(path, node.Line, "anchors: %s is not the file that --write made: restore it, "+
			"or write the check again", f.anchorsPath)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Require)) {
		n := f.Require[name]
		r, err := f.readRequirement(name, n)
		if err != nil {
			return nil, suite.ErrorAtLine(f.path, n.Line, "%s: %w", name, err)
		}
		f.requirements = append(f.requirements, r)
	}
	if f.requirements == nil {
		return nil, suite.ErrorAtLine(f.path, 0, `require is missing: name metrics, such as coverage: ">= 60"`)
	}
	return f, nil
}

// pathFields lists the fields of a request that may be paths, which are relative to the file.
var pathFields = []string{"dataset", "prompt", "ids"}

// readRequest sets the request that the parts judge and on describe.
func (f *File) readRequest() error {
	values := map[string][]string{"protocol": {"pairwise"}}
	for _, part := range []map[string]yaml.Node{f.Judge, f.On} {
		for name, n := range part {
			words := []string{n.Value}
			if n.Kind == yaml.SequenceNode {
				_ = n.Decode(&words)
			}
			if slices.Contains(pathFields, name) && strings.ContainsAny(n.Value, `/\.`) {
				words[0] = f.relative(n.Value)
			}
			values[name] = words
		}
	}
	k, err := judging.ProtocolNamed(values["protocol"][0])
	delete(values, "protocol")
	delete(values, "anchors")
	values["no-cache"] = []string{"true"}
	if err == nil {
		f.request, err = eval.ParseRequest(k, values)
	}
	return err
}

// blame adds to an error about the request the line of the field that is wrong, or else of the dataset.
func (f *File) blame(err error) error {
	field := &eval.FieldError{Field: "dataset"}
	_ = errors.As(err, &field)
	line := f.Judge[field.Field].Line + f.On[field.Field].Line
	return suite.ErrorAtLine(f.path, line, "%s", strings.TrimPrefix(err.Error(), "--"))
}

// relative returns a path in the file, which is relative to its folder.
func (f *File) relative(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// readRequirement reads a requirement from its name and value in the file.
func (f *File) readRequirement(name string, n yaml.Node) (r Requirement, err error) {
	r = Requirement{Name: name, RequirementText: n.Value, Verdict: Undecided}
	if name == sameAsRequirement {
		var same struct {
			Run    string
			Within float64
		}
		if n.Decode(&same) != nil || same.Run == "" || !(same.Within > 0 && same.Within <= 100) {
			return r, errors.New("expected {run: DIR, within: POINTS}")
		}
		r.minRequired = -same.Within
		r.maxRequired = same.Within
		r.RequirementText = fmt.Sprintf("within %g points", same.Within)
		f.baselineRun, err = scoring.Load(f.relative(same.Run), replyReadingRules)
		return r, err
	}
	terms := scoring.MetricsOf(f.request.Protocol)
	term, ok := scoring.FindTerm(terms, name)
	r.metric = term.Metric
	match := boundsPattern.FindStringSubmatch(strings.ReplaceAll(n.Value, " ", ""))
	switch {
	case !ok:
		var names []string
		for _, t := range terms {
			names = slices.Concat(names, t.Aliases, []string{t.Label, t.Metric})
		}
		near := cmp.Or(datasets.Nearest(name, names), terms[0].Label)
		err = fmt.Errorf("%s has no such metric, but %s; docs/glossary.md has all", f.request.Protocol, near)
	case match == nil:
		err = fmt.Errorf(`expected ">= 80", "<= 5" or "45..55", not %q`, n.Value)
	default:
		r.minRequired, _ = strconv.ParseFloat(cmp.Or(match[1], match[3], "-Inf"), 64) // the pattern matches numbers
		r.maxRequired, _ = strconv.ParseFloat(cmp.Or(match[2], match[4], "Inf"), 64)
		if r.minRequired > min(r.maxRequired, doc.AxisForUnit(term.Unit).Max) {
			err = fmt.Errorf("no value can be within %s", n.Value)
		}
	}
	return r, err
}
