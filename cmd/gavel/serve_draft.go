package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/judging"
	"gavel/server"
)

// fieldJudges of a draft: the id of a server that is offered, a space, a model.
const fieldJudges = "judges"

// DraftSuite adds what a form says to the file of a suite: its judges, and one
// condition, in which more than one value is an axis.
func (r *runner) DraftSuite(ctx context.Context, order server.Order) (string, error) {
	end, err := r.turn(ctx)
	if err != nil {
		return order.Get(fieldFile), err
	}
	defer end()
	text, err := r.draft(ctx, order)
	if err == nil {
		_, err = r.readSuite(ctx, text)
	}
	if err != nil {
		return text, &orderError{http.StatusBadRequest, err}
	}
	return text, nil
}

func (r *runner) draft(ctx context.Context, order server.Order) (string, error) {
	was := order.Get(fieldFile)
	root, err := mappingOf(was)
	if err != nil {
		return was, err
	}
	kind, err := judging.KindNamed(order.Get(fieldProtocol))
	if err != nil {
		return was, err
	}
	if name := strings.TrimSpace(order.Get("name")); name != "" {
		put(root, "name", scalar(name))
	}
	judges := listOf(root, "judges")
	for _, chosen := range order[fieldJudges] {
		if err := r.draftJudge(ctx, judges, chosen); err != nil {
			return was, err
		}
	}
	switch {
	case len(judges.Content) == 0:
		return was, errors.New("no judge is chosen: whose judgments are to be measured?")
	case len(order[fieldDataset]) == 0:
		return was, errors.New("no dataset is chosen: what is to be judged?")
	}
	condition := mapping("protocol", scalar(kind.Name), "dataset", values(order[fieldDataset]))
	for _, f := range fieldsOf(kind) {
		if given := givenOf(f, order[f.Name]); len(given) > 0 {
			put(condition, f.Name, values(given))
		}
	}
	conditions := listOf(root, "conditions")
	conditions.Content = append(conditions.Content, condition)
	return encoded(root)
}

// givenOf are the values of a field that say more than its default.
func givenOf(f server.Field, chosen []string) []string {
	given := slices.DeleteFunc(slices.Clone(chosen), func(v string) bool { return strings.TrimSpace(v) == "" })
	if f.Name == "agents" && len(given) == 1 {
		given = strings.Fields(given[0])
	}
	if len(given) == 1 && given[0] == f.Default {
		return nil
	}
	return given
}

// draftJudge adds a judge that is not there yet.
func (r *runner) draftJudge(ctx context.Context, judges *yaml.Node, chosen string) error {
	id, model, _ := strings.Cut(chosen, " ")
	at, err := r.endpoint(ctx, id)
	if err != nil {
		return err
	}
	if model == "" {
		return fmt.Errorf("a judge of %s without a model", id)
	}
	judge := mapping("model", scalar(model), "backend", scalar(at.backend))
	if at.url != "" {
		judge = mapping("model", scalar(model), "base-url", scalar(at.url))
	}
	named := false
	for _, other := range judges.Content {
		if valueOf(other, "model") == model && valueOf(other, "base-url") == at.url {
			return nil
		}
		named = named || valueOf(other, "name") == model || valueOf(other, "model") == model
	}
	if u, err := url.Parse(at.url); named && err == nil {
		judge.Content = append(mapping("name", scalar(model+" at "+u.Host)).Content, judge.Content...)
	}
	judges.Content = append(judges.Content, judge)
	return nil
}

// mappingOf is the file so far, an empty one where there is none.
func mappingOf(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, (&suiteFile{path: orderedFile}).syntax([]byte(text), err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return mapping(), nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: keys with values are expected, not %s", orderedFile, kindOf(doc.Content[0]))
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
