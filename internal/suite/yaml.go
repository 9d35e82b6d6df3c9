package suite

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/datasets"
	"gavel/internal/eval"
)

// tabIndent matches a line that a tab indents.
var tabIndent = regexp.MustCompile(`^ *\t`)

// SyntaxError returns the error of a file that is not YAML, with the line. A tab, the usual reason, is named, since the
// parser does not mention it.
func SyntaxError(path string, raw []byte, err error) error {
	n := 0
	for line := range bytes.Lines(raw) {
		if n++; tabIndent.Match(line) && len(bytes.TrimSpace(line)) > 0 {
			return ErrorAtLine(path, n, "a tab indents this line: YAML takes spaces alone")
		}
	}
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	text, isKey := strings.CutPrefix(text, "unmarshal errors:\n  ")
	if _, noLine := fmt.Sscanf(text, "line %d: ", &line); noLine == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	if isKey {
		text, _, _ = strings.Cut(text, " in type")
		return ErrorAtLine(path, line, "%s", text)
	}
	return ErrorAtLine(path, line, "not YAML: %s", text)
}

// resolveAliases replaces YAML's aliases below n by their targets, and returns an error for lists that are too long.
func (s *Definition) resolveAliases(n *yaml.Node) error {
	if isList(n) && len(n.Content) > maxCells {
		return s.errorAtLine(n.Line, "this list has %d entries, and may have %d", len(n.Content), maxCells)
	}
	for _, child := range n.Content {
		if err := s.resolveAliases(child); err != nil {
			return err
		}
	}
	if n.Kind == yaml.AliasNode {
		line := n.Line
		*n = *n.Alias
		n.Line = line
	}
	return nil
}

// entry holds a key of a YAML mapping and its value.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// keyReaders maps the keys that a mapping may have to the functions that read their values.
type keyReaders map[string]func(entry) error

// mapping reads the YAML mapping n, calling the reader in keys for each key. It returns an error for unknown and
// repeated keys. Errors call the mapping by part.
func (s *Definition) mapping(n *yaml.Node, part string, keys keyReaders) error {
	if n.Kind != yaml.MappingNode {
		return s.errorAtLine(n.Line, "%s: expected keys with values, not %s", part, yamlKind(n))
	}
	lines := map[string]int{}
	for pair := range slices.Chunk(n.Content, 2) {
		e := entry{key: pair[0].Value, line: pair[0].Line, value: pair[1]}
		read, ok := keys[e.key]
		switch reason := misplaced(e.key, part); {
		case pair[0].Kind != yaml.ScalarNode:
			return s.errorAtLine(e.line, "%s: a key is a word, not %s", part, yamlKind(pair[0]))
		case !ok && reason != "":
			return s.errorAtLine(e.line, "%s %s", e.key, reason)
		case !ok:
			names := slices.Sorted(maps.Keys(keys))
			return s.errorAtLine(e.line, "unknown key %q in %s%s", e.key, part, didYouMean(e.key, names))
		case lines[e.key] > 0:
			return s.errorAtLine(e.line, "%q is repeated in %s, first in line %d", e.key, part, lines[e.key])
		}
		lines[e.key] = e.line
		if err := read(e); err != nil {
			return err
		}
	}
	return nil
}

// didYouMean returns words for an error about a mistyped name: the nearest of names, or all of them if they are few.
func didYouMean(typed string, names []string) string {
	best := datasets.Nearest(typed, names)
	switch {
	case best != "":
		return fmt.Sprintf("; did you mean %q?", best)
	case len(names) <= 10:
		return ": it has " + strings.Join(names, ", ")
	}
	return ""
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// yamlKind describes a YAML value, for an error about a value of the wrong kind.
func yamlKind(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case isList(n) && len(n.Content) == 0:
		return "an empty list"
	case isList(n):
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

// nameReader returns a reader of a key that stores the key's value, a name, in to.
func (s *Definition) nameReader(to *string) func(entry) error {
	return func(e entry) error {
		if e.value.Kind != yaml.ScalarNode || isNull(e.value) || e.value.Value == "" {
			return s.errorAtLine(e.line, "%s: expected a name, not %s", e.key, yamlKind(e.value))
		}
		*to = e.value.Value
		return nil
	}
}

// listReader returns a reader of a key whose value is a list; it calls read for every entry of the list.
func (s *Definition) listReader(read func(*yaml.Node) error) func(entry) error {
	return func(e entry) error {
		if !isList(e.value) || len(e.value.Content) == 0 {
			return s.errorAtLine(e.line, "%s: expected a list, not %s", e.key, yamlKind(e.value))
		}
		for _, n := range e.value.Content {
			if err := read(n); err != nil {
				return err
			}
		}
		return nil
	}
}

// values reads the values of a flag in the file. A list gives several values, one condition for each (an axis). For a
// flag that may be repeated, a list is one value, and a list of lists gives several.
func (s *Definition) values(e entry, field eval.Field) (values []setting, err error) {
	nodes := []*yaml.Node{e.value}
	repeats := field.Kind == eval.FieldKindList
	axis := isList(e.value) && (!repeats || slices.ContainsFunc(e.value.Content, isList))
	if axis {
		nodes = e.value.Content
	}
	if isList(e.value) && len(e.value.Content) == 0 {
		return nil, s.errorAtLine(e.line, "%s: the list is empty", e.key)
	}
	for _, n := range nodes {
		v := setting{flag: e.key, line: n.Line, isAxis: axis}
		words := []*yaml.Node{n}
		if repeats && isList(n) && len(n.Content) > 0 {
			words = n.Content
		}
		for _, w := range words {
			switch {
			case isNull(w):
				return nil, s.errorAtLine(w.Line, "%s has no value", e.key)
			case w.Kind != yaml.ScalarNode:
				return nil, s.errorAtLine(w.Line, "%s: expected a value or a list of values, not %s", e.key, yamlKind(w))
			}
			v.values = append(v.values, w.Value)
		}
		if slices.ContainsFunc(values, func(o setting) bool { return slices.Equal(o.values, v.values) }) {
			return nil, s.errorAtLine(v.line, "%s: %q is repeated in the list", e.key, v)
		}
		values = append(values, v)
	}
	return values, nil
}

func isList(n *yaml.Node) bool { return n.Kind == yaml.SequenceNode }
