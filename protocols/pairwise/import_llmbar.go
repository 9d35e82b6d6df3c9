package pairwise

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/protocols/imports"
)

// LLMBar's stored replies (arXiv 2310.07641): SUBSET/evaluators/JUDGE/STRATEGY/result.json has the rows of the subset's
// dataset.json with "results", one for each phase, of which the last holds the two judgments. A winner is mapped
// back to the published order.

// evaluatorsFolder is the folder of the judges' files in each subset of LLMBar's repository.
const evaluatorsFolder = "evaluators"

// llmBarFolderHint shows in errors where LLMBar's repository has a judge's replies.
const llmBarFolderHint = "…/SUBSET/evaluators/JUDGE/STRATEGY/result.json"

// StoredReplies describes a file of one judge's replies to one prompt on a subset of LLMBar's pairs.
type StoredReplies struct {
	Path, Subset, Judge, Prompt string
}

// LLMBarFiles returns the descriptions of files of LLMBar's replies, by their paths, sorted by subset.
func LLMBarFiles(paths []string) ([]StoredReplies, error) {
	return sortFilesBySubset(paths, parseLLMBarPath)
}

// sortFilesBySubset reads the descriptions of files with read and sorts them by subset. All files must be of one judge
// and one prompt, and of different subsets.
func sortFilesBySubset(
	paths []string, read func(path string) (StoredReplies, error),
) (files []StoredReplies, err error) {
	for _, path := range paths {
		f, err := read(path)
		if err != nil {
			return nil, err
		}
		for _, g := range files {
			if f.Judge != g.Judge || f.Prompt != g.Prompt {
				return nil, fmt.Errorf("%s: is of %s by %s, %s of %s by %s: one judge and one prompt a run",
					f.Path, f.Judge, f.Prompt, g.Path, g.Judge, g.Prompt)
			}
			if f.Subset == g.Subset {
				return nil, fmt.Errorf("%s: is of the subset %s, as %s is: give each once", f.Path, f.Subset, g.Path)
			}
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b StoredReplies) int { return strings.Compare(a.Subset, b.Subset) })
	return files, nil
}

// importLLMBar turns LLMBar's stored replies of one judge with one strategy (prompt), a file
// for each subset, into a run.
func importLLMBar(r imports.Input) ([]*imports.ImportedRun, error) {
	files, err := LLMBarFiles(r.Files)
	if err != nil {
		return nil, err
	}
	first := files[0]
	in := newPairImport(r.Out, harnessAsker(Protocol, llmBarPromptPrefix+first.Prompt, "LLMBar (arXiv 2310.07641)",
		outputLabels(first.Judge, first.Prompt)...))
	in.Asker = llmBarAsker{pairwise: in.protocol}
	for _, f := range files {
		if err := in.llmBarRows(f); err != nil {
			return nil, err
		}
	}
	if len(in.Records) == 0 {
		return nil, in.bad.NoRowsError("rows with input, output_1, output_2, label and results")
	}
	judge := cmp.Or(r.Option("model"), first.Judge)
	return in.makeRun(r.Gavel, "LLMBar's stored replies", first.Path, judge, datasets.LLMBarFormat, LLMBarName(files))
}

// llmBarPromptPrefix starts the prompt names of imported LLMBar runs. Exported files leave it out of the judge_name.
const llmBarPromptPrefix = "LLMBar "

// llmBarRows adds the pairs and judgments in a file of LLMBar's replies to the run, and the file to the run's hash.
func (in *pairImport) llmBarRows(f StoredReplies) error {
	n := 0
	in.bad.Path = f.Path
	fmt.Fprint(in.sums, f.Subset, " ")
	return in.eachRow(f.Path, func(row int, raw json.RawMessage) error {
		item, judgments, err := parseLLMBarRow(raw, datasets.LLMBarID(f.Subset, n))
		n++
		switch {
		case errors.Is(err, errRatingStrategy):
			return err
		case err != nil:
			in.bad.Add(row, err)
			return nil
		}
		return in.add(item, judgments...)
	})
}

// LLMBarName returns the name of the dataset of LLMBar's files: "llmbar-" and the subset, or
// "llmbar" for several subsets.
func LLMBarName(files []StoredReplies) string {
	if len(files) > 1 {
		return datasets.LLMBarFormat.Name
	}
	return datasets.LLMBarFormat.Name + "-" + strings.ToLower(path.Base(files[0].Subset))
}

// parseLLMBarPath reads judge, strategy and subset from the path of a file of LLMBar's replies.
func parseLLMBarPath(name string) (f StoredReplies, err error) {
	if _, err := os.Stat(name); err != nil {
		return f, err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return f, err
	}
	parts := strings.Split(filepath.ToSlash(full), "/")
	folder := len(parts) - 4
	if folder < 1 || parts[folder] != evaluatorsFolder {
		return f, fmt.Errorf("%s: judge, strategy and subset stand in the path alone: "+
			"keep the folders as LLMBar has them, %s", name, llmBarFolderHint)
	}
	return StoredReplies{
		Path:   name,
		Subset: cmp.Or(datasets.LLMBarSubset(parts[folder-1]), parts[folder-1]),
		Judge:  parts[folder+1],
		Prompt: parts[folder+2],
	}, nil
}

// errRatingStrategy is the error for LLMBar's strategies that score each output alone, which gavel cannot import.
var errRatingStrategy = errors.New("each output has a score of its own, and no reply compares the two: " +
	"import it with gavel import llmbar-rating")

// LLMBarPhases returns the pair of a row and the results of its phases, at least one.
func LLMBarPhases(raw json.RawMessage, id string) (item datasets.Item, phases []json.RawMessage, err error) {
	var row struct {
		Results []json.RawMessage `json:"results"`
	}
	err = datasets.DecodeObject(raw, &row)
	if err != nil {
		return item, nil, err
	}
	pair, err := imports.WithoutKeys(raw, json.Compact, "results", "id")
	if err != nil {
		return item, nil, err
	}
	line := slices.Concat(fmt.Appendf(nil, `{"id": %q, `, id), pair[1:])
	item, err = datasets.LLMBarFormat.Item(line)
	if err != nil {
		return item, nil, err
	}
	phases = slices.DeleteFunc(row.Results, func(r json.RawMessage) bool {
		return !bytes.HasPrefix(bytes.TrimSpace(r), []byte("{"))
	})
	if len(phases) == 0 {
		return item, nil, errors.New(`"results" has no judgments: this is no result.json of LLMBar`)
	}
	return item, phases, nil
}

// parseLLMBarRow returns the pair of a row and the judgments of its last phase, in the positions shown.
func parseLLMBarRow(
	raw json.RawMessage, id string,
) (item datasets.Item, judgments []imports.StoredJudgment, err error) {
	item, phases, err := LLMBarPhases(raw, id)
	if err != nil {
		return item, nil, err
	}
	var last struct {
		Published llmBarReply     `json:"swap = False"`
		Swapped   llmBarReply     `json:"swap = True"`
		Score     json.RawMessage `json:"score_1"`
	}
	if err := datasets.DecodeObject(phases[len(phases)-1], &last); err != nil {
		return item, nil, fmt.Errorf(`"results": %w`, err)
	}
	if last.Score != nil {
		return item, nil, errRatingStrategy
	}
	for i, reply := range []llmBarReply{last.Published, last.Swapped} {
		judgment, err := reply.judgment(i == 1)
		if err != nil {
			return item, nil, fmt.Errorf("judgment %d: %w", i+1, err)
		}
		if len(phases) > 1 {
			judgment.Mode = swapSynthesisMode
		}
		judgments = append(judgments, judgment)
	}
	return item, judgments, nil
}

// llmBarReply is a reply of the judge in one order, as LLMBar stored it.
type llmBarReply struct {
	Completion []json.RawMessage `json:"completion"` // text of the reply, and why it ended
	Winner     *string           `json:"winner"`     // "1" or "2": the output in the dataset's order
}

// judgment returns the reply as a stored judgment. With swapped, the judge saw output 2 first; the decision
// is in the positions shown.
func (r llmBarReply) judgment(swapped bool) (j imports.StoredJudgment, err error) {
	if len(r.Completion) == 0 || string(r.Completion[0]) == "null" {
		return j, nil
	}
	j.Replies = []string{""}
	if err := json.Unmarshal(r.Completion[0], &j.Replies[0]); err != nil {
		return j, errors.New("the completion is no text")
	}
	if r.Winner == nil {
		return j, nil
	}
	position := slices.Index([]string{"1", "2"}, *r.Winner)
	if position < 0 {
		return j, fmt.Errorf("winner %q is neither \"1\" nor \"2\"", *r.Winner)
	}
	if swapped {
		position = 1 - position
	}
	j.Decision = &[]string{labelA, labelB}[position]
	return j, nil
}
