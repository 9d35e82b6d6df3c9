// Package suite makes the runs of a matrix: judges, and the conditions that each of them is asked under, from one file.
//
// A file's keys are the names of a request's fields, and its values what people write there: so the file needs no
// meaning of its own. Every error about it names the file and the line.
package suite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/judging"
)

// File is a suite's file as it was read.
type File struct {
	Name       string
	Text       string // of the file
	Out        string // folder of the cells
	path       string
	outLine    int // where it is set; 0 where it is not
	limits     Limits
	defaults   []setting
	judges     []Judge
	conditions []condition
}

// Limits are from where on --yes is asked for; 0 is none.
type Limits struct {
	Calls int     `json:"calls,omitempty"`
	Hours float64 `json:"hours,omitempty"`
}

func (l Limits) any() bool { return l.Calls > 0 || l.Hours > 0 }

type Judge struct {
	name     string
	line     int
	settings []setting
}

type condition struct {
	name      string // "" where it is made of what is asked
	line      int
	protocols []judging.Protocol
	settings  []setting
}

// setting is a flag and its values: more than one where they are an axis of the matrix.
type setting struct {
	flag   string
	line   int
	axis   bool
	values []choice
}

// choice is one value of a setting: what the flag is given, more than once where it may be given again.
type choice struct {
	words []string
	line  int
}

func (c choice) String() string { return strings.Join(c.words, "+") }

// refused are flags that a suite's file has no use for, and why.
var refused = map[string]string{
	"out":      "the folder of a run is named after its cell: set out at the top, for all of them",
	"shard":    "it is said on the command line: gavel suite run --shard",
	"dry-run":  "that is what \"gavel suite plan\" does",
	"json":     ofTables,
	"csv":      ofTables,
	"markdown": ofTables,
}

const ofTables = "the table's format is chosen on the command line"

// Parts of a file, as errors call them.
const (
	inDefaults = "defaults"
	aJudge     = "a judge"
	aCondition = "a condition"
)

// misplaced are, by part, the fields that belong in another.
var misplaced = map[string]map[string]string{
	inDefaults: {"model": "belongs to a judge, not to defaults"},
	aJudge:     {"cache": ofSuite, "no-cache": ofSuite},
	aCondition: {
		"model":       ofJudge,
		"backend":     ofJudge,
		"base-url":    ofJudge,
		"api-key-env": ofJudge,
		"cache":       ofSuite,
		"no-cache":    ofSuite,
	},
}

const (
	ofJudge = "belongs to a judge, not to a condition"
	ofSuite = "is for the whole suite: set it in defaults"
)

const (
	mostOfFile = 1 << 20 // bytes
	mostOfName = 255     // bytes of a folder's name
)

// readFile reads a suite's file. What is wrong with it is said with file and line.
func readFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostOfFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ParseFile(path, []byte(backends.TakePasswords(string(raw))))
}

func ParseFile(path string, raw []byte) (*File, error) {
	s := &File{path: path, Text: string(raw)}
	switch {
	case len(raw) > mostOfFile:
		return nil, s.wrong(0, "has more than %d bytes: is it a suite?", mostOfFile)
	case !utf8.Valid(raw):
		return nil, s.wrong(0, "is not UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && (len(doc.Content) == 0 || isNull(doc.Content[0])) {
		return nil, s.wrong(0, "is empty: a suite has judges and conditions, see docs/suites.md")
	}
	if err == nil {
		err = dec.Decode(&more)
		if errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			return nil, s.wrong(more.Line, "a second document begins here: a file is one suite")
		}
	}
	if err != nil {
		return nil, s.syntax(raw, err)
	}
	return s, s.read(doc.Content[0])
}

// lineError is what is wrong with a line of a suite's file.
type lineError struct {
	File string
	Line int // 0 where it is the whole file
	Err  error
}

func (e *lineError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

func (e *lineError) Unwrap() error        { return e.Err }
func (e *lineError) Is(target error) bool { return target == eval.ErrUsage }

func (s *File) wrong(line int, format string, args ...any) error {
	return &lineError{File: s.path, Line: line, Err: fmt.Errorf(format, args...)}
}

func (s *File) read(root *yaml.Node) error {
	s.Name = strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
	top, err := s.entries(root, "a suite", []string{"name", "out", "limits", "defaults", "judges", "conditions"})
	if err != nil {
		return err
	}
	for _, e := range top {
		switch e.key {
		case "name":
			err = s.into(&s.Name)(e)
		case "out":
			s.outLine = e.line
			err = s.into(&s.Out)(e)
		case "limits":
			err = s.readLimits(e)
		case "defaults":
			s.defaults, err = s.settings(e.value, inDefaults, nil)
		case "judges":
			err = s.each(e, s.readJudge)
		case "conditions":
			err = s.each(e, s.readCondition)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case s.folder(s.Name) == "":
		return s.wrong(root.Line, "the suite has no name: set it")
	case s.Out == "" && len(s.folder(s.Name)) > mostOfName:
		return s.wrong(root.Line, "the suite's folder would be called %.60s…: give it a shorter name", s.folder(s.Name))
	case len(s.judges) == 0:
		return s.wrong(root.Line, "judges are missing: whose judgments are to be measured?")
	case len(s.conditions) == 0:
		return s.wrong(root.Line, "conditions are missing: what are the judges to be asked?")
	}
	if s.Out == "" {
		s.Out = filepath.Join("runs", s.folder(s.Name))
	}
	return nil
}

// folder is a name that can be that of a folder.
func (*File) folder(name string) string {
	return strings.Trim(eval.UnsafeInNames.ReplaceAllString(name, "-"), "-.")
}

func (s *File) readLimits(e entry) error {
	list, err := s.entries(e.value, "limits", []string{"calls", "hours"})
	if err != nil {
		return err
	}
	for _, l := range list {
		switch l.key {
		case "calls":
			s.limits.Calls, err = strconv.Atoi(l.value.Value)
			if err != nil || s.limits.Calls < 1 {
				return s.wrong(l.line, "calls: expected a number from 1, not %s", kindOf(l.value))
			}
		case "hours":
			s.limits.Hours, err = strconv.ParseFloat(l.value.Value, 64)
			if err != nil || !(s.limits.Hours > 0) || math.IsInf(s.limits.Hours, 1) {
				return s.wrong(l.line, "hours: expected a number above 0, not %s", kindOf(l.value))
			}
		}
	}
	return nil
}

// fieldsOf are the fields of a request that a file may set: of a protocol, or of all where none is named.
func fieldsOf(protocols ...judging.Protocol) map[string]eval.Field {
	fields := map[string]eval.Field{}
	if len(protocols) == 0 {
		protocols = judging.Protocols()
	}
	for _, k := range protocols {
		for _, f := range eval.FieldsOf(k) {
			if refused[f.Name] == "" {
				fields[f.Name] = f
			}
		}
	}
	return fields
}

// settings reads a mapping whose keys are fields of a request; own are those that are something else. What is not a
// condition has no axes.
func (s *File) settings(n *yaml.Node, what string, own map[string]func(entry) error) (list []setting, err error) {
	fields := fieldsOf()
	entries, err := s.entries(n, what, slices.AppendSeq(slices.Sorted(maps.Keys(fields)), maps.Keys(own)))
	for _, e := range entries {
		if why := misplaced[what][e.key]; why != "" {
			return nil, s.wrong(e.line, "%s %s", e.key, why)
		}
		if read, is := own[e.key]; is {
			err = read(e)
		} else {
			var set setting
			set, err = s.setting(e, fields[e.key])
			if err == nil && set.axis && what != aCondition {
				err = s.wrong(e.line, "%s: a list of values is an axis of the matrix, which belongs in a condition, not in %s",
					e.key, what)
			}
			list = append(list, set)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, err
}

func (s *File) readJudge(n *yaml.Node) (err error) {
	j := Judge{line: n.Line}
	j.settings, err = s.settings(n, aJudge, map[string]func(entry) error{"name": s.into(&j.name)})
	if err != nil {
		return err
	}
	for _, set := range j.settings {
		if set.flag == "model" {
			j.name = cmp.Or(j.name, set.values[0].String())
		}
	}
	if s.folder(j.name) == "" {
		return s.wrong(j.line, "a judge without a name: give it a model, or a name")
	}
	for _, other := range s.judges {
		if strings.EqualFold(s.folder(other.name), s.folder(j.name)) {
			return s.wrong(j.line, "two judges are called %q, the other in line %d: give them names of their own",
				j.name, other.line)
		}
	}
	s.judges = append(s.judges, j)
	return nil
}

func (s *File) readCondition(n *yaml.Node) (err error) {
	c := condition{line: n.Line}
	c.settings, err = s.settings(n, aCondition, map[string]func(entry) error{
		"name": s.into(&c.name),
		"protocol": func(e entry) error {
			set, err := s.setting(e, eval.Field{})
			for _, p := range set.values {
				protocol, unknown := judging.ProtocolNamed(p.String())
				if unknown != nil {
					return s.wrong(p.line, "%v%s", unknown, didYouMean(p.String(), judging.Names(judging.Protocols())))
				}
				c.protocols = append(c.protocols, protocol)
			}
			return err
		},
	})
	if err != nil {
		return err
	}
	if len(c.protocols) == 0 {
		return s.wrong(c.line, "a condition without a protocol: it is one of %s, or a list of them",
			strings.Join(judging.Names(judging.Protocols()), ", "))
	}
	s.conditions = append(s.conditions, c)
	return s.fits(c)
}

// fits refuses a setting that one of the condition's protocols has no flag for.
func (s *File) fits(c condition) error {
	for _, protocol := range c.protocols {
		fields := fieldsOf(protocol)
		for _, set := range c.settings {
			if fields[set.flag].Name == "" {
				return s.wrong(set.line, "%s: %s has no such flag, see \"gavel run %s --help\"",
					set.flag, protocol.Name, protocol.Name)
			}
		}
	}
	return nil
}

// Place puts the suite's folder below dir, where the file names none, and else
// asks whether it may be where the file says.
func (s *File) Place(dir string, may func(out string) error) error {
	if s.outLine == 0 {
		s.Out = filepath.Join(dir, s.folder(s.Name))
		return nil
	}
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return err
	}
	if err := may(out); err != nil {
		return s.wrong(s.outLine, "out: %s %w", s.Out, err)
	}
	s.Out = out
	return nil
}
