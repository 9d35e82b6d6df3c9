package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/report"
)

// listing is a plain table with JSON of its own.
type listing struct {
	table report.Table
	data  any
}

func (l listing) Tables() []report.Table       { return []report.Table{l.table} }
func (l listing) CSV(w io.Writer) error        { return report.CSV(w, l.table) }
func (l listing) MarshalJSON() ([]byte, error) { return json.Marshal(l.data) }

func datasetsCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "datasets",
		Usage: "list, show, fetch and import datasets",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "the datasets gavel knows by name", Flags: formatFlags(), Action: e.listDatasets},
			{Name: "show", Usage: "what a dataset or file holds", UsageText: "gavel datasets show NAME|FILE [flags]", Flags: formatFlags(), Action: e.showDataset},
			{
				Name: "fetch", Usage: "download a dataset from its official place", UsageText: "gavel datasets fetch NAME",
				Description: "Licence and size are shown first; the file is kept only if its SHA-256 is the published one.",
				Action:      e.fetchDataset,
			},
			{
				Name: "import", Usage: "take in a published file carried over by hand", UsageText: "gavel datasets import FILE",
				Description: "For machines without network. The file is known by its SHA-256. Files of your own need no import: give their path to --dataset.",
				Action:      e.importDataset,
			},
		},
	}
}

func (e *env) listDatasets(c *cli.Context) error {
	f, err := listFormat(c)
	if err != nil {
		return err
	}
	type row struct {
		datasets.Known
		Here bool `json:"here"`
	}
	var rows []row
	t := report.Table{Columns: []report.Column{{Name: "name"}, {Name: "items", Right: true}, {Name: "bytes", Right: true}, {Name: "here"}, {Name: "about"}}}
	for _, k := range datasets.Registry {
		here := e.library().Has(k)
		state := "no: gavel datasets fetch " + k.Name
		switch {
		case k.Builtin():
			state = "built in"
		case here:
			state = "yes"
		}
		rows = append(rows, row{k, here})
		t.Rows = append(t.Rows, []string{k.Name, strconv.Itoa(k.Rows), strconv.FormatInt(k.Bytes, 10), state, k.About})
	}
	t.Notes = []string{"any other file of the same shape works by its path: " + datasets.JudgeBench.About}
	return e.print(f, listing{t, map[string]any{"datasets": rows}})
}

func (e *env) showDataset(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	name, err := oneArgument(c, "NAME or FILE")
	if err != nil {
		return err
	}
	known, isKnown := datasets.Lookup(name)
	set, err := e.library().Open(name)
	if err != nil {
		if isKnown && f == "text" {
			e.showKnown(known)
		}
		return err
	}
	defer set.Close()
	groups, labels, err := countItems(set)
	if err != nil {
		return err
	}
	t := report.Table{Columns: []report.Column{{Name: ""}, {Name: ""}}}
	add := func(k, v string) { t.Rows = append(t.Rows, []string{k, v}) }
	add("dataset", set.Name)
	if isKnown {
		add("about", known.About)
		add("licence", known.Licence)
		add("source", known.Source)
	}
	add("format", set.Format)
	add("SHA-256", set.SHA256)
	add("items", strconv.Itoa(set.Len()))
	add("lines skipped", strconv.Itoa(set.Skipped))
	add("longest item", fmt.Sprintf("%d bytes", set.Longest))
	for _, k := range sortedKeys(labels) {
		add("labelled "+k, strconv.Itoa(labels[k]))
	}
	for _, g := range sortedGroups(groups) {
		add("group "+g, strconv.Itoa(groups[g]))
	}
	for _, b := range set.Bad {
		t.Notes = append(t.Notes, "skipped: "+b.Error())
	}
	return e.print(f, listing{t, map[string]any{
		"name": set.Name, "format": set.Format, "sha256": set.SHA256, "items": set.Len(), "skipped": set.Skipped,
		"longest_bytes": set.Longest, "groups": groups, "labels": labels,
	}})
}

func countItems(set *datasets.Set) (groups, labels map[string]int, err error) {
	groups, labels = map[string]int{}, map[string]int{}
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, nil, err
		}
		groups[item.Group]++
		labels[item.Candidates[item.Gold].ID]++
	}
	return groups, labels, nil
}

func sortedKeys(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortedGroups(m map[string]int) []string {
	keys := sortedKeys(m)
	slices.SortFunc(keys, datasets.CategoryOrder)
	return keys
}

func (e *env) showKnown(k datasets.Known) {
	e.say("%s: %s", k.Name, k.About)
	e.say("  licence: %s", k.Licence)
	e.say("  size:    %d bytes, %d items", k.Bytes, k.Rows)
	e.say("  source:  %s", k.Source)
	if k.URL != "" {
		e.say("  from:    %s", k.URL)
	}
}

func (e *env) fetchDataset(c *cli.Context) error {
	name, err := oneArgument(c, "NAME")
	if err != nil {
		return err
	}
	k, ok := datasets.Lookup(name)
	if !ok {
		return usage("unknown dataset %q: it is one of %s", name, strings.Join(datasets.Names(), ", "))
	}
	e.showKnown(k)
	lib := e.library()
	if !k.Builtin() && lib.Has(k) {
		if set, err := lib.Open(name); err == nil {
			set.Close()
			e.say("it is here already: %s", lib.Path(name))
			return nil
		}
	}
	if err := lib.Fetch(c.Context, e.http, k); err != nil {
		return err
	}
	e.say("stored as %s", lib.Path(name))
	return nil
}

func (e *env) importDataset(c *cli.Context) error {
	file, err := oneArgument(c, "FILE")
	if err != nil {
		return err
	}
	k, path, err := e.library().Import(file)
	if err != nil {
		return err
	}
	e.showKnown(k)
	e.say("stored as %s", path)
	return nil
}
