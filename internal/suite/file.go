// Package suite makes the runs of a matrix of judges and conditions, which one file describes.
//
// The keys of the file are the names of a request's fields, with values as people write them, so that the file needs no
// syntax of its own. Every error about it names the file and the line.
package suite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// Definition holds the content of a suite's file: judges, conditions, and defaults for both.
type Definition struct {
	Name       string
	Text       string // the file's text
	Out        string // folder of the suite, which holds the runs of its cells
	studyName  string // studyName that the suite was made for; "" for none
	path       string
	outLine    int // line of the file that sets Out; 0 for the default
	limits     Limits
	defaults   []setting // settings of all cells
	judges     []Judge
	conditions []*Condition
	bytes      int // total size of the settings of all conditions and cells; see maxBytes
}

// Limits holds the amounts of calls and hours above which a suite runs only with --yes; 0 is no limit.
type Limits struct {
	Calls int     `json:"calls,omitempty"`
	Hours float64 `json:"hours,omitempty"`
}

func (l Limits) any() bool { return l.Calls > 0 || l.Hours > 0 }

// Judge is an entry of the suite file's list of judges.
type Judge struct {
	name     string
	line     int
	settings []setting
}

// setting holds a flag of a run and one value for it, which has several words if the flag may be repeated.
type setting struct {
	flag   string
	values []string
	line   int
	isAxis bool // the file has a list of such values, one condition for each
}

func (s setting) String() string { return strings.Join(s.values, "+") }

// Parts of a suite's file, as errors call them.
const (
	partDefaults  = "defaults"
	partJudge     = "a judge"
	partCondition = "a condition"
)

// misplaced returns why the given part of a suite's file may not set a flag; "" if it may.
func misplaced(flag, part string) string {
	switch flag {
	case "out":
		return "has no place in a suite: the folder of a run is named after its cell: set out at the top, for all of them"
	case "shard":
		return "has no place in a suite: give it on the command line: gavel suite run --shard"
	case "dry-run":
		return `has no place in a suite: "gavel suite plan" does that`
	case "json", "csv", "markdown":
		return "has no place in a suite: choose the table's format on the command line"
	case "cache", "no-cache":
		if part != partDefaults {
			return "is for the whole suite: set it in defaults"
		}
	case "model", "backend", "base-url", "api-key-env":
		if part != partJudge && (flag == "model" || part != partDefaults) {
			return "belongs to a judge, not to " + part
		}
	}
	return ""
}

const (
	maxFile = 1 << 20 // bytes of a suite's file
	maxName = 255     // bytes of a folder's name
)

// readFile reads the suite's file at path. Errors about its content name the line.
func readFile(path string) (*Definition, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return readFolder(path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ParseFile(path, []byte(backends.TakePasswords(string(raw))))
}

// readFolder reads the file of a suite from the folder of its runs.
func readFolder(dir string) (*Definition, error) {
	stored, err := scoring.ReadSuite(dir)
	if err != nil {
		return nil, err
	}
	s, err := ParseFile(filepath.Join(dir, scoring.SuiteRunsFile), []byte(stored.FileText))
	if err != nil {
		return nil, err
	}
	s.Name = stored.Name
	s.Out = dir
	return s, nil
}

// ParseFile parses raw, the text of a suite's file. Errors call the file by path.
func ParseFile(path string, raw []byte) (*Definition, error) {
	s := &Definition{path: path, Text: string(raw)}
	switch {
	case len(raw) > maxFile:
		return nil, s.errorAtLine(0, "has more than %d bytes: is it a suite?", maxFile)
	case !utf8.Valid(raw):
		return nil, s.errorAtLine(0, "is not UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && (len(doc.Content) == 0 || isNull(doc.Content[0])) {
		return nil, s.errorAtLine(0, "is empty: a suite has judges and conditions, see docs/suites.md")
	}
	if err == nil {
		err = dec.Decode(&more)
	}
	switch {
	case err == nil:
		return nil, s.errorAtLine(more.Line, "a second document begins here: a file is one suite")
	case !errors.Is(err, io.EOF):
		return nil, SyntaxError(s.path, raw, err)
	}
	if err := s.resolveAliases(&doc); err != nil {
		return nil, err
	}
	return s, s.read(doc.Content[0])
}

// lineError is an error about a line of a suite's file.
type lineError struct {
	File string
	Line int // line of the file; 0 for the whole file
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

// ErrorAtLine returns an error about a line of a file that a person wrote, or with 0 about the whole file.
func ErrorAtLine(path string, line int, format string, args ...any) error {
	return &lineError{File: path, Line: line, Err: fmt.Errorf(format, args...)}
}

func (s *Definition) errorAtLine(line int, format string, args ...any) error {
	return ErrorAtLine(s.path, line, format, args...)
}

func (s *Definition) read(root *yaml.Node) error {
	s.Name = strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
	defaults := s.flagReaders(partDefaults, func(values []setting) { s.defaults = append(s.defaults, values...) })
	err := s.mapping(root, "a suite", keyReaders{
		"name":  s.nameReader(&s.Name),
		"study": s.nameReader(&s.studyName),
		"out": func(e entry) error {
			s.outLine = e.line
			return s.nameReader(&s.Out)(e)
		},
		"limits": func(e entry) error {
			return s.mapping(e.value, "limits", keyReaders{"calls": s.readCalls, "hours": s.readHours})
		},
		"defaults":   func(e entry) error { return s.mapping(e.value, partDefaults, defaults) },
		"judges":     s.listReader(s.readJudge),
		"conditions": s.listReader(s.readCondition),
	})
	name := eval.FolderName(s.Name)
	switch {
	case err != nil:
		return err
	case name == "":
		return s.errorAtLine(root.Line, "the suite has no name: set it")
	case s.Out == "" && len(name) > maxName:
		return s.errorAtLine(root.Line, "the suite's folder would be called %.60s…: give it a shorter name", name)
	case len(s.judges) == 0:
		return s.errorAtLine(root.Line, "judges are missing: list the judges to measure")
	case len(s.conditions) == 0:
		return s.errorAtLine(root.Line, "conditions are missing: list what to ask the judges")
	case s.studyName == "":
	case s.studyName != scoring.StudyGRP:
		return s.errorAtLine(root.Line, "study: expected %s, not %q", scoring.StudyGRP, s.studyName)
	case 2*len((&Suite{Definition: s}).summary().GoalPairs()) != len(s.conditions):
		return s.errorAtLine(root.Line, "study: grp compares goals: "+
			"give each condition of pairwise one of reversed with the same dataset, prompt and flags, and no other")
	}
	s.Out = cmp.Or(s.Out, filepath.Join("runs", name))
	return nil
}

func (s *Definition) readCalls(e entry) (err error) {
	s.limits.Calls, err = strconv.Atoi(e.value.Value)
	if err != nil || s.limits.Calls < 1 {
		return s.errorAtLine(e.line, "calls: expected a number from 1, not %s", yamlKind(e.value))
	}
	return nil
}

func (s *Definition) readHours(e entry) (err error) {
	s.limits.Hours, err = strconv.ParseFloat(e.value.Value, 64)
	if err != nil || !(s.limits.Hours > 0) || math.IsInf(s.limits.Hours, 1) {
		return s.errorAtLine(e.line, "hours: expected a number above 0, not %s", yamlKind(e.value))
	}
	return nil
}

// requestFields returns the fields, by name, that requests for runs of these protocols have.
func requestFields(protocols ...judging.Protocol) map[string]eval.Field {
	fields := map[string]eval.Field{}
	for _, k := range protocols {
		for _, f := range eval.ProtocolFields(k) {
			fields[f.Name] = f
		}
	}
	return fields
}

// flagReaders returns readers for the keys that are flags of a run, as far as the given part of the file may set them.
// They pass the values of a key to add.
func (s *Definition) flagReaders(part string, add func(values []setting)) keyReaders {
	flags := keyReaders{}
	for name, field := range requestFields(judging.Protocols()...) {
		if misplaced(name, part) != "" {
			continue
		}
		flags[name] = func(e entry) error {
			values, err := s.values(e, field)
			switch {
			case err != nil:
				return err
			case values[0].isAxis && part != partCondition:
				return s.errorAtLine(e.line,
					"%s: a list of values is an axis of the matrix, which belongs in a condition, not in %s", e.key, part)
			}
			add(values)
			return nil
		}
	}
	return flags
}

func (s *Definition) readJudge(n *yaml.Node) error {
	j := Judge{line: n.Line}
	model := ""
	keys := s.flagReaders(partJudge, func(values []setting) {
		j.settings = append(j.settings, values...)
		if values[0].flag == "model" {
			model = values[0].String()
		}
	})
	keys["name"] = s.nameReader(&j.name)
	if err := s.mapping(n, partJudge, keys); err != nil {
		return err
	}
	j.name = cmp.Or(j.name, model)
	if eval.FolderName(j.name) == "" {
		return s.errorAtLine(j.line, "a judge without a name: give it a model, or a name")
	}
	for _, other := range s.judges {
		if strings.EqualFold(eval.FolderName(other.name), eval.FolderName(j.name)) {
			return s.errorAtLine(j.line, "two judges are called %q, the other in line %d: give them names of their own",
				j.name, other.line)
		}
	}
	s.judges = append(s.judges, j)
	return nil
}

// readCondition reads an entry of the file's conditions, and adds all conditions that the entry's lists describe.
func (s *Definition) readCondition(n *yaml.Node) error {
	p := conditionProduct{line: n.Line}
	keys := s.flagReaders(partCondition, func(values []setting) { p.axes = append(p.axes, values) })
	keys["name"] = s.nameReader(&p.name)
	keys["protocol"] = func(e entry) error {
		values, err := s.values(e, eval.Field{})
		for _, v := range values {
			protocol, unknown := judging.ProtocolNamed(v.String())
			if unknown != nil {
				return s.errorAtLine(v.line, "%v%s", unknown, didYouMean(v.String(), judging.ProtocolNames(judging.Protocols())))
			}
			p.protocols = append(p.protocols, protocol)
		}
		return err
	}
	if err := s.mapping(n, partCondition, keys); err != nil {
		return err
	}
	if len(p.protocols) == 0 {
		return s.errorAtLine(p.line, "a condition without a protocol: it is one of %s, or a list of them",
			strings.Join(judging.ProtocolNames(judging.Protocols()), ", "))
	}
	for _, protocol := range p.protocols {
		fields := requestFields(protocol)
		for _, values := range p.axes {
			if flag := values[0].flag; fields[flag].Name == "" {
				return s.errorAtLine(values[0].line, "%s: %s has no such flag, see \"gavel run %s --help\"",
					flag, protocol.Name, protocol.Name)
			}
		}
	}
	return s.addConditions(p)
}

// SetFolder sets the suite's folder for the server: a folder in dir, named after the suite; or the one that the file
// sets, if allow returns no error for it.
func (s *Definition) SetFolder(dir string, allow func(out string) error) error {
	if s.outLine == 0 {
		s.Out = filepath.Join(dir, eval.FolderName(s.Name))
		return nil
	}
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return err
	}
	if err := allow(out); err != nil {
		return s.errorAtLine(s.outLine, "out: %s %w", s.Out, err)
	}
	s.Out = out
	return nil
}
