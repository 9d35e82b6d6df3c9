package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/judging"
)

// listModels returns a table of the models that a server offers.
func (e *env) listModels(c *cli.Context) (any, error) {
	o, err := endpointFrom(c)
	if err != nil {
		return nil, err
	}
	var b backends.Backend
	var server backends.ServerInfo
	if o.Simulated() {
		b, server, err = eval.OpenSimulated("coin")
	} else {
		b, server, err = e.maker().Connect(c.Context, o)
	}
	if err != nil {
		return nil, err
	}
	models, err := b.Models(c.Context)
	if err != nil {
		return nil, err
	}
	t := &doc.Table{
		RowHead: "model",
		Columns: slices.Concat(
			doc.ColumnsOfKind(doc.ColumnWords, "parameters", "quantisation"),
			doc.ColumnsOfKind(doc.ColumnInteger, "context"),
			doc.ColumnsOfKind(doc.ColumnWords, "digest"),
		),
	}
	for _, m := range models {
		context := ""
		if m.Context > 0 {
			context = strconv.Itoa(m.Context)
		}
		t.Add(doc.WordRow(m.Name, m.Parameters, m.Quantisation, context, m.Digest[:min(12, len(m.Digest))]))
	}
	block := doc.Block{Table: t}
	if len(models) == 0 {
		block.Notes = []doc.Note{doc.PhraseNote("models.none")}
	}
	return doc.Document{
		Title:  eval.DescribeServer(server),
		Blocks: []doc.Block{block},
		Data:   map[string]any{"server": server, "models": models},
	}, nil
}

func (e *env) listPrompts(*cli.Context) (any, error) {
	type row struct {
		Protocol string `json:"protocol"`
		judging.Template
	}
	var rows []row
	t := &doc.Table{RowHead: "prompt", Columns: doc.ColumnsOfKind(doc.ColumnWords, "labels", "SHA-256", "origin")}
	t.Columns[0].HidePriority = 2
	t.Columns[1].HidePriority = 1
	for _, k := range judging.Protocols() {
		for _, p := range k.Templates {
			rows = append(rows, row{k.Name, p})
			labels := ""
			for _, l := range p.Labels {
				labels += "[[" + l + "]] "
			}
			t.Add(doc.WordRow(k.Name+"/"+p.Name, labels, p.SHA256[:12], p.Origin))
		}
	}
	return doc.Document{Blocks: []doc.Block{{Table: t}}, Data: map[string]any{"prompts": rows}}, nil
}

// showPrompt prints the prompt named PROTOCOL/NAME, or the prompts called NAME of all protocols that have one.
func (e *env) showPrompt(c *cli.Context) error {
	name := c.Args().First()
	var texts []string
	for _, k := range judging.Protocols() {
		for _, p := range k.Templates {
			switch full := k.Name + "/" + p.Name; name {
			case full:
				texts = append(texts, p.AllTexts()+"\n")
			case p.Name:
				texts = append(texts, fmt.Sprintf("--- %s ---\n%s\n\n", full, p.AllTexts()))
			}
		}
	}
	if texts == nil {
		return usageError("unknown prompt %q: \"gavel prompts list\" names them", name)
	}
	_, err := io.WriteString(e.stdout, strings.Join(texts, ""))
	return err
}
