package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/doc"
)

// mappingFrom reads the flags that say which columns of a file hold an item's parts.
func mappingFrom(c *cli.Context) datasets.Mapping {
	return datasets.Mapping{Fields: c.StringSlice("field"), LabelValues: c.StringSlice("label-values")}
}

func (e *env) listDatasets(*cli.Context) (any, error) {
	type row struct {
		datasets.Entry
		Here bool `json:"here"`
	}
	var rows []row
	t := &doc.Table{RowHead: "name", Columns: slices.Concat(doc.ColumnsOfKind(doc.ColumnInteger, "items", "bytes"),
		doc.ColumnsOfKind(doc.ColumnWords, "here", "shape", "about"))}
	t.Columns[1].HidePriority = 1
	t.Columns[4].HidePriority = 2
	for _, k := range e.library().All() {
		here := e.library().Has(k)
		state := "fetch"
		switch {
		case k.Builtin():
			state = "built in"
		case here:
			state = "yes"
			if k.IsUserDataset() {
				k.About += ", " + k.Mapping.String()
			}
		case k.Get != "":
			state = "by hand"
		}
		rows = append(rows, row{k, here})
		t.Add(doc.WordRow(k.Name, strconv.Itoa(k.Rows), k.Size(), state, string(k.Shape()), k.About))
	}
	return doc.Document{
		Blocks: []doc.Block{{Table: t, Notes: []doc.Note{
			doc.PhraseNote("datasets.fetch"), doc.PhraseNote("datasets.files", strings.Join(datasets.FormatNames(), ", ")),
		}}},
		Data: map[string]any{"datasets": rows},
	}, nil
}

// openSet opens the dataset that the command's first argument names, as its flags say how to read it.
func (e *env) openSet(c *cli.Context) (*datasets.Set, error) {
	if err := checkOneOf("--turns", c.String("turns"), datasets.TurnsValues); err != nil {
		return nil, err
	}
	open := datasets.OpenOptions{Lang: c.String("lang"), Mapping: mappingFrom(c)}
	if c.String("turns") == datasets.TurnsAll {
		open.Turns = datasets.TurnsAll
	}
	return e.library().OpenWith(c.Args().First(), open)
}

func (e *env) showDataset(c *cli.Context) (any, error) {
	entry, isKnown := e.library().Lookup(c.Args().First())
	set, err := e.openSet(c)
	if err != nil {
		if isKnown && !isMachineFormat(c) && !entry.Builtin() && !e.library().Has(entry) {
			e.sayEach(entry.DescriptionLines())
		}
		return nil, err
	}
	defer set.Close()
	summary, err := set.Summarize(entry)
	if err != nil {
		return nil, err
	}
	d := factsDocument(summary.Rows, summary.Data)
	for _, words := range summary.Notes {
		d.Blocks[0].Notes = append(d.Blocks[0].Notes, doc.PlainNote(words))
	}
	return d, nil
}

// factsDocument returns a document that lists names with their values; data is its JSON.
func factsDocument(rows [][2]string, data any) doc.Document {
	t := &doc.Table{Columns: doc.ColumnsOfKind(doc.ColumnWords, "")}
	for _, row := range rows {
		t.Add(doc.WordRow(row[0], row[1]))
	}
	return doc.Document{Blocks: []doc.Block{{Table: t}}, Data: data}
}

func (e *env) fetchDataset(c *cli.Context) error {
	name := c.Args().First()
	k, ok := datasets.Lookup(name)
	if !ok {
		return usageError("%w", datasets.UnknownError(name))
	}
	e.sayEach(k.DescriptionLines())
	lib := e.library()
	if !k.Builtin() && lib.Has(k) {
		if set, err := lib.Open(name); err == nil {
			set.Close()
			e.say("already downloaded: %s", lib.Path(name))
			return nil
		}
	}
	err := lib.Fetch(c.Context, e.http, k, func(bytes int64) {
		if bytes < 0 {
			e.say("downloading (size unknown)")
		} else {
			e.say("downloading %d bytes", bytes)
		}
	})
	if err != nil {
		return err
	}
	return e.printStoredPath(k, lib.Path(name))
}

// printStoredPath prints where a dataset's file was stored and, if no SHA-256 was published, that of the file.
func (e *env) printStoredPath(k datasets.Entry, path string) error {
	notes, err := e.library().UnpublishedChecksumNotes(k)
	e.sayEach(append([]string{"stored as " + path}, notes...))
	e.next("datasets", "show", k.Name)
	return err
}

func (e *env) importDataset(c *cli.Context) error {
	file := c.Args().First()
	as := c.String("as")
	mapping := mappingFrom(c)
	if _, published := datasets.Lookup(as); as != "" && !published {
		return e.importOwnDataset(file, as, mapping)
	}
	if len(mapping.Fields) > 0 {
		return usageError("--field is only for your own files: give the file a name with --as")
	}
	k, path, err := e.library().Import(file, as)
	if err != nil {
		return err
	}
	e.sayEach(k.DescriptionLines())
	return e.printStoredPath(k, path)
}

// importOwnDataset stores a user's own file as the dataset named as; mapping says which columns hold an item's parts.
func (e *env) importOwnDataset(file, as string, mapping datasets.Mapping) error {
	k, before, set, err := e.library().ImportUserDataset(file, as, mapping)
	if err != nil {
		return err
	}
	e.sayEach(slices.Concat(k.DescriptionLines(), set.Remarks()))
	if before.SHA256 != "" && before.SHA256 != k.SHA256 {
		e.say("it takes the place of another file of that name (%s, SHA-256 %s): runs on that one keep its items",
			before.Source, before.SHA256)
	}
	return e.printStoredPath(k, e.library().Path(k.Name))
}
