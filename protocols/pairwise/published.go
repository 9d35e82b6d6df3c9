package pairwise

import (
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
)

// PublishedRun makes a run from the published verdicts of a judge on LLMBar's pairs. The run has neither the texts of
// the pairs nor the replies. gavel is the version of the program.
func PublishedRun(
	set *references.PublishedSet, judge references.PublishedJudge, gavel string,
) (*imports.Builder, error) {
	var items []datasets.Item
	var err error
	set.EachItem(func(i int, id, _ string) {
		if i >= len(judge.FirstOrderVerdicts) || err != nil {
			return
		}
		var item datasets.Item
		item, err = publishedItem(id, set.GoldByItem[i]-'0')
		items = append(items, item)
	})
	if err != nil {
		return nil, err
	}
	info := judging.DatasetInfo{Name: set.Dataset, Format: datasets.LLMBarFormat.Name, Rows: len(items)}
	return makePublishedRun(set, judge, items, judging.DatasetSpec{}, info, gavel)
}

// makePublishedRun makes a run from a judge's published verdicts on the given items of LLMBar. If spec has no number of
// items, the dataset's hash and size are computed from the items. Items without a published verdict have no records.
func makePublishedRun(
	set *references.PublishedSet, judge references.PublishedJudge, items []datasets.Item,
	spec judging.DatasetSpec, info judging.DatasetInfo, gavel string,
) (*imports.Builder, error) {
	comparison := harnessAsker(Protocol, "LLMBar "+set.Prompt, "LLMBar (arXiv 2310.07641)", shortLabels...)
	out := &imports.Builder{Asker: llmBarAsker{pairwise: comparison}}
	for _, item := range items {
		out.AddItem(item)
		i, ok := set.ItemIndex(item.ID)
		if !ok || i >= len(judge.FirstOrderVerdicts) {
			continue
		}
		for k, code := range []byte{judge.FirstOrderVerdicts[i], judge.SecondOrderVerdicts[i]} {
			verdict := candidateVerdict(int(code - '1'))
			switch code {
			case references.Tie:
				verdict = judging.EmptyVerdict(judging.Tie)
			case references.NoVerdict:
				verdict = judging.EmptyVerdict(judging.NoVerdict)
			}
			if _, err := out.AddJudgment(item, k, imports.StoredJudgment{Verdict: &verdict}); err != nil {
				return nil, err
			}
		}
	}
	out.SetManifest(gavel, "published verdicts", judge.Source, comparison.runSpec(spec, judging.ModelSpec{
		Name: judge.Name, Identity: fmt.Sprintf("published %s %s", judge.Source, judge.SourceName),
	}), info)
	out.Manifest.LabelsFollowResponses = judge.LabelsFollowResponses
	for _, r := range out.Records {
		r.SetRun(out.Manifest)
	}
	return out, nil
}

// publishedItem returns an item of LLMBar with its label, and placeholders for the texts, which gavel does not have.
func publishedItem(id string, label byte) (datasets.Item, error) {
	subset := strings.ToLower(id[strings.Index(id, "/")+1 : strings.Index(id, "#")])
	texts := " (gavel has the verdicts alone; the texts: gavel datasets fetch llmbar-" + subset + ")"
	return itemOf(datasets.LLMBarFormat, map[string]any{
		"id":       id,
		"input":    datasets.QuestionPlaceholder(id),
		"output_1": "Output 1" + texts,
		"output_2": "Output 2" + texts,
		"label":    label,
	})
}
