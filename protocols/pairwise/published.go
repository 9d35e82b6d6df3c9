package pairwise

import (
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
)

// PublishedRun is the run that a published judge's verdicts come to.
type PublishedRun struct {
	Manifest *judging.Manifest
	Records  []*judging.Record
	items    [][]byte
}

// Published makes the run of a judge of LLMBar's pairs. The texts of the pairs are not part of it, nor the replies.
func Published(set *references.Set, judge references.Judge, gavel string) (*PublishedRun, error) {
	var items []datasets.Item
	var lines [][]byte
	var err error
	set.Each(func(i int, id, _ string) {
		if i >= len(judge.First) || err != nil {
			return
		}
		var item datasets.Item
		item, err = publishedItem(id, set.Gold[i]-'0')
		items = append(items, item)
		lines = append(lines, item.Raw)
	})
	if err != nil {
		return nil, err
	}
	spec := specOf(lines, func(i int) string { return items[i].ID })
	info := judging.DatasetInfo{Name: set.Dataset, Format: datasets.LLMBar.Name, Rows: len(items)}
	return publishedOver(set, judge, items, spec, info, gavel), nil
}

// publishedOver is the run of a judge over items of a set. It lacks the records of those that the judge did not judge.
func publishedOver(
	set *references.Set, judge references.Judge, items []datasets.Item,
	spec judging.DatasetSpec, info judging.DatasetInfo, gavel string,
) *PublishedRun {
	template := judging.Template{Name: "LLMBar " + set.Prompt, Origin: "LLMBar (arXiv 2310.07641)", Labels: outputNamed}
	p := pairwise{name: Protocol.Name, goal: Protocol.Goal, template: template}
	asker := outputs{pairwise: p}
	out := &PublishedRun{}
	for _, item := range items {
		out.items = append(out.items, item.Raw)
		i, ok := set.Index(item.ID)
		if !ok || i >= len(judge.First) {
			continue
		}
		for k, verdict := range []byte{judge.First[i], judge.Second[i]} {
			out.Records = append(out.Records, publishedRecord(asker, item, k, verdict))
		}
	}
	out.Manifest = imports.Describe(gavel, "published verdicts", judge.Source, p.spec(spec,
		judging.ModelSpec{Name: judge.Name, Identity: fmt.Sprintf("published %s %s", judge.Source, judge.Called)}),
		len(out.Records), info)
	out.Manifest.LabelsStay = judge.LabelsStay
	for _, r := range out.Records {
		r.Belong(out.Manifest)
	}
	return out
}

// publishedItem is a pair of which nothing but the label is known here.
func publishedItem(id string, label byte) (datasets.Item, error) {
	subset := strings.ToLower(id[strings.Index(id, "/")+1 : strings.Index(id, "#")])
	texts := " (gavel has the verdicts alone; the texts: gavel datasets fetch llmbar-" + subset + ")"
	return itemOf(datasets.LLMBar, map[string]any{
		"id":       id,
		"input":    datasets.Unpublished(id),
		"output_1": "Output 1" + texts,
		"output_2": "Output 2" + texts,
		"label":    label,
	})
}

// publishedRecord is a judgment without a reply: the verdict is as it was published.
func publishedRecord(p judging.Asker, item datasets.Item, presentation int, verdict byte) *judging.Record {
	r := newRecord(p, item, presentation)
	r.Imported = &judging.Imported{Stored: true}
	switch verdict {
	case references.Tie:
		r.Outcome = judging.Tie
	case references.NoVerdict:
		r.Outcome = judging.NoVerdict
	default:
		r.Outcome = judging.Decided
		r.Choice = item.Candidates[verdict-'1'].ID
	}
	return r
}

// Write makes the run's directory.
func (r *PublishedRun) Write(dir string) error {
	run := imports.Run{Dir: dir, Manifest: r.Manifest}
	return run.Write(r.items, r.Records)
}
