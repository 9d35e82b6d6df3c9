package suite

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gavel/internal/eval"
)

// Draft is what is added to the text of a suite's file.
type Draft struct {
	Name     string         // "" leaves it as it is
	Judges   []eval.Request // model and servers; one that is there already is passed over
	Protocol string
	Datasets []string
	Values   []Value // what else the condition says
}

// Value is a key of a condition and its values: more than one are an axis.
type Value struct {
	Key    string
	Values []string
}

// AddTo adds judges and one condition to the text of a file, which may be empty. path is what errors call it.
func (d Draft) AddTo(path, text string) (string, error) {
	root, err := mappingOf(path, text)
	if err != nil {
		return text, err
	}
	if d.Name != "" {
		put(root, "name", scalar(d.Name))
	}
	judges := listOf(root, "judges")
	for _, j := range d.Judges {
		addJudge(judges, j)
	}
	switch {
	case len(judges.Content) == 0:
		return text, errors.New("no judge is chosen: tick at least one")
	case len(d.Datasets) == 0:
		return text, errors.New("no dataset is chosen: tick at least one")
	}
	condition := mapping("protocol", scalar(d.Protocol), "dataset", values(d.Datasets))
	for _, v := range d.Values {
		put(condition, v.Key, values(v.Values))
	}
	conditions := listOf(root, "conditions")
	conditions.Content = append(conditions.Content, condition)
	return encoded(root)
}

// addJudge adds a judge that is not there yet.
func addJudge(judges *yaml.Node, j eval.Request) {
	at := strings.Join(j.BaseURLs, "")
	judge := mapping("model", scalar(j.Model), "backend", scalar(j.Backend))
	if at != "" {
		judge = mapping("model", scalar(j.Model), "base-url", scalar(at))
	}
	named := false
	for _, other := range judges.Content {
		if valueOf(other, "model") == j.Model && valueOf(other, "base-url") == at {
			return
		}
		named = named || valueOf(other, "name") == j.Model || valueOf(other, "model") == j.Model
	}
	if u, err := url.Parse(at); named && err == nil {
		judge.Content = append(mapping("name", scalar(j.Model+" at "+u.Host)).Content, judge.Content...)
	}
	judges.Content = append(judges.Content, judge)
}

// mappingOf is the file so far, an empty one where there is none.
func mappingOf(path, text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, (&File{path: path}).syntax([]byte(text), err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return mapping(), nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: expected keys with values, not %s", path, kindOf(doc.Content[0]))
	}
	return doc.Content[0], nil
}

func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if slices.Contains([]string{"null", "Null", "NULL", "~"}, text) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// values is one value, or a list on a line.
func values(of []string) *yaml.Node {
	if len(of) == 1 {
		return scalar(of[0])
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range of {
		list.Content = append(list.Content, scalar(v))
	}
	return list
}

// mapping of keys and nodes in turn.
func mapping(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		put(m, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return m
}

func find(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return resolve(m.Content[i+1])
		}
	}
	return nil
}

func valueOf(m *yaml.Node, key string) string {
	if n := find(m, key); n != nil {
		return n.Value
	}
	return ""
}

func put(m *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content[i+1] = value
			return
		}
	}
	m.Content = append(m.Content, scalar(key), value)
}

// listOf is the list under a key, a new one where there is none.
func listOf(m *yaml.Node, key string) *yaml.Node {
	if n := find(m, key); n != nil && n.Kind == yaml.SequenceNode {
		return n
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	put(m, key, n)
	return n
}

func encoded(root *yaml.Node) (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return "", err
	}
	return b.String(), enc.Close()
}
