package pairwise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
)

// ReIFE's stored replies (arXiv 2410.07069): DATASET.JUDGE.METHOD.PROMPT.jsonl has the replies with output 1 shown
// first, PROMPT_swap.jsonl those with output 2 shown first. The labels stay with the outputs: Output (a) is output 1 in
// both files. The files do not have the gold labels; gavel has those of LLMBar's pairs.

// reifeRow is a row of ReIFE's stored replies (arXiv 2410.07069): a pair and the judge's reply in one order.
type reifeRow struct {
	Question string `json:"instruction"`
	First    string `json:"output_1"`
	Second   string `json:"output_2"`
	Response []struct {
		Text string `json:"text"`
	} `json:"response"`
	Result *struct {
		Winner int  `json:"winner"` // output 1 or 2; random if Fail is true
		Tie    int  `json:"tie"`    // not 0: a tie
		Fail   bool `json:"fail"`   // ReIFE could not read the reply
	} `json:"result"`
}

// reifeSubsets lists the subsets of LLMBar in each of ReIFE's files, in the order of the file's rows.
var reifeSubsets = map[string][]string{
	"llmbar_natural":     datasets.LLMBarSubsets[:1],
	"llmbar_adversarial": datasets.LLMBarSubsets[1:],
}

// importReIFE turns ReIFE's stored replies of one judge to one prompt on LLMBar's pairs into a run.
func importReIFE(r imports.Input) ([]*imports.ImportedRun, error) {
	files, err := sortFilesBySubset(r.Files, parseReifeFileName)
	if err != nil {
		return nil, err
	}
	first := files[0]
	in := newPairImport(r.Out, harnessAsker(Protocol, "ReIFE "+first.Prompt, "ReIFE (arXiv 2410.07069)"))
	in.labelsFollowResponses = true
	in.usesFileVerdicts = true
	in.namesWinners = true
	dataset := datasets.LLMBarFormat.Name
	if len(files) == 1 {
		dataset = strings.ReplaceAll(first.Subset, "_", "-")
	}
	for _, f := range files {
		if err := in.reife(f.Path, f.Subset); err != nil {
			return nil, err
		}
	}
	judge := cmp.Or(r.Option("model"), first.Judge)
	return in.makeRun(r.Gavel, "ReIFE's stored replies", r.Files[0], judge, datasets.LLMBarFormat, dataset)
}

// parseReifeFileName reads dataset, judge and prompt from the name of a file of ReIFE's replies:
// DATASET.JUDGE.METHOD.PROMPT.jsonl.
func parseReifeFileName(path string) (f StoredReplies, err error) {
	parts := strings.Split(filepath.Base(path), ".")
	n := len(parts)
	if n < 5 || parts[n-1] != "jsonl" || strings.HasSuffix(parts[n-2], "_swap") {
		return f, fmt.Errorf("%s: give the file of the first order as ReIFE names it, "+
			"DATASET.JUDGE.METHOD.PROMPT.jsonl; that of the other order, PROMPT_swap.jsonl, is read beside it", path)
	}
	if reifeSubsets[parts[0]] == nil {
		return f, fmt.Errorf("%s: is of %s; gavel has the labels of llmbar_natural and llmbar_adversarial, "+
			"and ReIFE's results have none", path, parts[0])
	}
	return StoredReplies{Path: path, Subset: parts[0], Judge: strings.Join(parts[1:n-3], "."), Prompt: parts[n-2]}, nil
}

// reife adds the pairs of a ReIFE file and of its file for the swapped order to the run. set is the file's
// dataset, such as llmbar_natural.
func (in *pairImport) reife(path, set string) error {
	published := references.LLMBar()
	var ids []string
	published.EachItem(func(_ int, id, subset string) {
		if slices.Contains(reifeSubsets[set], subset) {
			ids = append(ids, id)
		}
	})
	first, err := in.reifeRows(path)
	if err != nil {
		return err
	}
	swapped := strings.TrimSuffix(path, ".jsonl") + "_swap.jsonl"
	second, err := in.reifeRows(swapped)
	if err != nil {
		return err
	}
	if len(first) != len(ids) || len(second) != len(ids) {
		return fmt.Errorf("%s: %d rows, and %d of the other order; %s has %d pairs",
			path, len(first), len(second), set, len(ids))
	}
	for i, id := range ids {
		a, b := first[i], second[i]
		if a.Question != b.Question || a.First != b.First || a.Second != b.Second {
			return fmt.Errorf("%s: row %d is of another pair than that of %s", swapped, i+1, path)
		}
		index, _ := published.ItemIndex(id)
		item, err := itemOf(datasets.LLMBarFormat, map[string]any{
			"id":       id,
			"input":    a.Question,
			"output_1": a.First,
			"output_2": a.Second,
			"label":    published.GoldByItem[index] - '0',
		})
		if err == nil {
			err = in.add(item, a.storedJudgment(), b.storedJudgment())
		}
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", path, i+1, err)
		}
	}
	return nil
}

// reifeRows reads the rows of a file of ReIFE's replies, and adds the file to the run's hash.
func (in *pairImport) reifeRows(path string) (all []reifeRow, err error) {
	err = in.eachRow(path, func(_ int, raw json.RawMessage) error {
		var row reifeRow
		if err := datasets.DecodeObject(raw, &row); err != nil {
			return err
		}
		if row.Result == nil || len(row.Response) == 0 {
			return fmt.Errorf("no response or no result: this is no file of ReIFE's results")
		}
		if w := row.Result.Winner; w != 1 && w != 2 {
			return fmt.Errorf("winner %d is neither 1 nor 2", w)
		}
		all = append(all, row)
		return nil
	})
	return all, err
}

// storedJudgment returns the row's stored judgment: ReIFE's winner, a tie, or no verdict if it could not read one.
func (r reifeRow) storedJudgment() imports.StoredJudgment {
	v := candidateVerdict(r.Result.Winner - 1)
	switch {
	case r.Result.Fail:
		v = judging.EmptyVerdict(judging.NoVerdict)
	case r.Result.Tie != 0:
		v = judging.EmptyVerdict(judging.Tie)
	}
	return imports.StoredJudgment{Verdict: &v, Replies: []string{r.Response[0].Text}}
}
