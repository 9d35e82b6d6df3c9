package suite

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/datasets"
	"gavel/internal/eval"
)

var tabIndent = regexp.MustCompile(`^ *\t`)

// syntax says where the file is no YAML. A tab is what it mostly is, and what the parser's words hide.
func (s *File) syntax(raw []byte, err error) error {
	n := 0
	for line := range bytes.Lines(raw) {
		if n++; tabIndent.Match(line) && len(bytes.TrimSpace(line)) > 0 {
			return s.wrong(n, "a tab indents this line: YAML takes spaces alone")
		}
	}
	line, said := 1, err.Error() // the parser has no other word for where
	if _, scanErr := fmt.Sscanf(said, "yaml: line %d: ", &line); scanErr == nil {
		_, said, _ = strings.Cut(said, ": ")
		_, said, _ = strings.Cut(said, ": ")
	} else if _, after, ok := strings.Cut(said, "yaml: "); ok {
		said = after
	} else {
		return s.wrong(0, "%w", err)
	}
	return s.wrong(line, "not YAML: %s", said)
}

// entry is a key of a mapping and its value.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// entries lists a mapping's keys, each known and there once.
func (s *File) entries(n *yaml.Node, what string, known []string) ([]entry, error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, s.wrong(n.Line, "%s: expected keys with values, not %s", what, kindOf(n))
	}
	var out []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolve(n.Content[i])
		e := entry{key: k.Value, line: n.Content[i].Line, value: resolve(n.Content[i+1])}
		if k.Kind != yaml.ScalarNode {
			return nil, s.wrong(e.line, "%s: a key is a word, not %s", what, kindOf(k))
		}
		if why, ok := refused[e.key]; ok && !slices.Contains(known, e.key) {
			return nil, s.wrong(e.line, "%s has no place in a suite: %s", e.key, why)
		}
		if !slices.Contains(known, e.key) {
			return nil, s.wrong(e.line, "unknown key %q in %s%s", e.key, what, didYouMean(e.key, known))
		}
		if j := slices.IndexFunc(out, func(o entry) bool { return o.key == e.key }); j >= 0 {
			return nil, s.wrong(e.line, "%q stands twice in %s, first in line %d", e.key, what, out[j].line)
		}
		if err := s.notTooMany(e, e.value); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// didYouMean is the nearest of the names, or a list of them where they are few.
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

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

func kindOf(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

// into reads a name.
func (s *File) into(name *string) func(entry) error {
	return func(e entry) error {
		if e.value.Kind != yaml.ScalarNode || isNull(e.value) || e.value.Value == "" {
			return s.wrong(e.line, "%s: expected a name, not %s", e.key, kindOf(e.value))
		}
		*name = e.value.Value
		return nil
	}
}

// each calls read for every entry of a list.
func (s *File) each(e entry, read func(*yaml.Node) error) error {
	if e.value.Kind != yaml.SequenceNode || len(e.value.Content) == 0 {
		return s.wrong(e.line, "%s: expected a list, not %s", e.key, kindOf(e.value))
	}
	for _, n := range e.value.Content {
		if err := read(n); err != nil {
			return err
		}
	}
	return nil
}

// notTooMany bounds a list before anything is made of it.
func (s *File) notTooMany(e entry, list *yaml.Node) error {
	if n := len(list.Content); list.Kind == yaml.SequenceNode && n > mostCells {
		return s.wrong(e.line, "%s: the list has %d entries, and may have %d", e.key, n, mostCells)
	}
	return nil
}

// setting reads what a flag is set to. A list is an axis; of a flag that may be
// given again it is one value, and a list of lists is an axis.
func (s *File) setting(e entry, field eval.Field) (setting, error) {
	set := setting{flag: e.key, line: e.line}
	again := field.Kind == eval.List
	list := e.value.Kind == yaml.SequenceNode
	nested := list && slices.ContainsFunc(e.value.Content, func(n *yaml.Node) bool {
		return resolve(n).Kind == yaml.SequenceNode
	})
	values := []*yaml.Node{e.value}
	set.axis = list && (!again || nested)
	if set.axis {
		values = e.value.Content
	}
	if list && len(e.value.Content) == 0 {
		return set, s.wrong(e.line, "%s: the list is empty", e.key)
	}
	for _, n := range values {
		words, err := s.words(e, n, again)
		if err != nil {
			return set, err
		}
		c := choice{words, n.Line}
		if slices.ContainsFunc(set.values, func(o choice) bool { return slices.Equal(o.words, c.words) }) {
			return set, s.wrong(n.Line, "%s: %q stands twice in the list", e.key, c)
		}
		set.values = append(set.values, c)
	}
	return set, nil
}

func (s *File) words(e entry, n *yaml.Node, again bool) ([]string, error) {
	n = resolve(n)
	switch {
	case isNull(n):
		return nil, s.wrong(n.Line, "%s has no value", e.key)
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}, nil
	case n.Kind == yaml.SequenceNode && again && len(n.Content) > 0:
		if err := s.notTooMany(e, n); err != nil {
			return nil, err
		}
		var words []string
		for _, w := range n.Content {
			w = resolve(w)
			if w.Kind != yaml.ScalarNode || isNull(w) {
				return nil, s.wrong(w.Line, "%s: expected a value, not %s", e.key, kindOf(w))
			}
			words = append(words, w.Value)
		}
		return words, nil
	}
	return nil, s.wrong(n.Line, "%s: expected a value or a list of values, not %s", e.key, kindOf(n))
}
