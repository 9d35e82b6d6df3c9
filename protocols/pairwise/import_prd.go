package pairwise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// PRD's reviews of Vicuna's 80 questions (arXiv 2307.02762), in the folder vicuna80: prompts/vicuna_questions.jsonl,
// generations/answer_MODEL.jsonl, and ratings-REVIEWER/answer_X-vs-answer_Y-REVIEWER-….jsonl, where X is shown first.
// Human reviews have one order or both. A score of 1 or 2 names an answer, 3 is a tie.

// prdText is a row of PRD's files (arXiv 2307.02762): a question, a model's answer to one, or a review of two answers.
type prdText struct {
	QuestionNumber int    `json:"question_id"`
	Text           string `json:"text"`
	Model          string `json:"model_id"`
	Score          int    `json:"score"` // of a review: 1 or 2 is the better answer, 3 a tie
	Category       string `json:"category"`

	location string // file and row, for errors
}

// conflict returns an error if other, a row for the same question, has another text or score.
func (t prdText) conflict(other prdText) error {
	other.location = t.location
	if t == other {
		return nil
	}
	return fmt.Errorf("question %d is in %s too, with another text or score: remove one of the two", t.QuestionNumber,
		t.location)
}

// prdKey identifies a review of PRD: the models whose answers were shown first and second, and the question's number.
type prdKey struct {
	first, second string
	question      int
}

// otherOrder returns the key of the review of the same answers in the other order.
func (k prdKey) otherOrder() prdKey {
	return prdKey{first: k.second, second: k.first, question: k.question}
}

// importPRD turns the reviews of one reviewer of PRD (arXiv 2307.02762, peer rank and discussion) into a run. The
// labels are people's reviews.
func importPRD(r imports.Input) ([]*imports.ImportedRun, error) {
	dir, reviewer := r.Files[0], r.Option("reviewer")
	in := newPairImport(r.Out, harnessAsker(Protocol, "PRD", "PRD (arXiv 2307.02762)"))
	in.usesFileVerdicts = true
	in.namesWinners = true
	questions, err := in.prdTexts(filepath.Join(dir, "prompts", "vicuna_questions.jsonl"))
	if err != nil {
		return nil, err
	}
	people, err := in.prdReviews(dir, "human")
	if err != nil {
		return nil, err
	}
	reviews, err := in.prdReviews(dir, reviewer)
	if err != nil {
		return nil, err
	}
	pairs := map[prdKey]bool{} // with the models in alphabetical order
	models := map[string]bool{}
	for key := range reviews {
		models[key.first] = true
		models[key.second] = true
		if key.first > key.second {
			key = key.otherOrder()
		}
		pairs[key] = true
	}
	answers := map[string]map[int]prdText{}
	for _, model := range slices.Sorted(maps.Keys(models)) {
		answers[model], err = in.prdTexts(filepath.Join(dir, "generations", "answer_"+model+".jsonl"))
		if err != nil {
			return nil, err
		}
	}
	keys := slices.SortedFunc(maps.Keys(pairs), func(a, b prdKey) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	})
	judge := reviewer
	for _, key := range keys {
		a, b := answers[key.first][key.question], answers[key.second][key.question]
		if a.Text == "" || b.Text == "" || questions[key.question].Text == "" {
			return nil, fmt.Errorf("%s: question %d: its text is missing, or an answer of %s or %s",
				dir, key.question, key.first, key.second)
		}
		label := "none"
		if better := prdHumanVerdict(people, key); better.Outcome == judging.Decided {
			label = []string{labelA, labelB}[better.Choice]
		}
		item, err := itemOf(datasets.JudgeBenchFormat, pairLine{
			ID:        fmt.Sprintf("vicuna-%d:%s:%s", key.question, key.first, key.second),
			Source:    datasets.SourceVicuna + questions[key.question].Category,
			Question:  questions[key.question].Text,
			ModelA:    a.Model,
			ModelB:    b.Model,
			ResponseA: a.Text,
			ResponseB: b.Text,
			Label:     label,
		})
		if err == nil {
			err = in.add(item, prdGame(reviews, key, 0), prdGame(reviews, key.otherOrder(), 1))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: question %d of %s and %s: %w", dir, key.question, key.first, key.second, err)
		}
		judge = cmp.Or(answers[reviewer][key.question].Model, judge)
	}
	from := filepath.Join(dir, "ratings-"+reviewer)
	return in.makeRun(r.Gavel, "PRD's reviews", from, judge, datasets.JudgeBenchFormat, "prd-vicuna80")
}

// prdHumanVerdict returns the verdict of PRD's human reviewers on a pair. If they reviewed both orders and the verdicts
// differ, it is no verdict.
func prdHumanVerdict(people map[prdKey]prdText, key prdKey) judging.Verdict {
	none := judging.EmptyVerdict(judging.NoVerdict)
	direct, swapped := prdGame(people, key, 0).Verdict, prdGame(people, key.otherOrder(), 1).Verdict
	first, second := cmp.Or(direct, swapped, &none), cmp.Or(swapped, direct, &none)
	if *first != *second {
		return none
	}
	return *first
}

// prdGame returns PRD's review of the key's two answers as a judgment; an empty one if there is no such review. first
// is the candidate of the pair that was shown first, 0 or 1.
func prdGame(reviews map[prdKey]prdText, key prdKey, first int) imports.StoredJudgment {
	review, ok := reviews[key]
	if !ok {
		return imports.StoredJudgment{}
	}
	v := judging.EmptyVerdict(judging.NoVerdict)
	switch review.Score {
	case 1:
		v = candidateVerdict(first)
	case 2:
		v = candidateVerdict(1 - first)
	case 3:
		v = judging.EmptyVerdict(judging.Tie)
	}
	return imports.StoredJudgment{Verdict: &v, Replies: []string{review.Text}}
}

// prdReviews reads all reviews of a PRD reviewer from the folder ratings-REVIEWER in dir. If a pair has two files,
// answer_X-vs-answer_Y and answer-X-vs-answer-Y, as some of gpt35's have, the first counts.
func (in *pairImport) prdReviews(dir, reviewer string) (map[prdKey]prdText, error) {
	files, err := filepath.Glob(filepath.Join(dir, "ratings-"+reviewer, "*.jsonl"))
	if err != nil || len(files) == 0 {
		reviewers, _ := filepath.Glob(filepath.Join(dir, "ratings-*"))
		for i, path := range reviewers {
			reviewers[i] = filepath.Base(path)[len("ratings-"):]
		}
		return nil, fmt.Errorf("%s: no reviews in ratings-%s; there are %q: name one with --reviewer", dir, reviewer,
			reviewers)
	}
	name := regexp.MustCompile(`^answer[_-](.+)-vs-answer[_-](.+)-` + regexp.QuoteMeta(reviewer) + `-reviewer`)
	slices.Sort(files)
	slices.Reverse(files)
	all := map[prdKey]prdText{}
	for _, path := range files {
		match := name.FindStringSubmatch(filepath.Base(path))
		if match == nil {
			return nil, fmt.Errorf("%s: the name does not say of whose answers it is", path)
		}
		texts, err := in.prdTexts(path)
		if err != nil {
			return nil, err
		}
		for question, review := range texts {
			key := prdKey{match[1], match[2], question}
			first, ok := all[key]
			if !ok {
				all[key] = review
			} else if err := first.conflict(review); err != nil && strings.HasPrefix(filepath.Base(path), "answer_") {
				return nil, fmt.Errorf("%s: %w", review.location, err)
			}
		}
	}
	return all, nil
}

// prdTexts returns the rows of a file of PRD by the number of their question.
func (in *pairImport) prdTexts(path string) (map[int]prdText, error) {
	all := map[int]prdText{}
	err := in.eachRow(path, func(n int, raw json.RawMessage) error {
		row := prdText{location: fmt.Sprintf("%s row %d", path, n)}
		if err := datasets.DecodeObject(raw, &row); err != nil {
			return err
		}
		if row.QuestionNumber == 0 {
			return fmt.Errorf("no question_id: this is no file of PRD's vicuna80")
		}
		if first, ok := all[row.QuestionNumber]; ok {
			return first.conflict(row)
		}
		all[row.QuestionNumber] = row
		return nil
	})
	return all, err
}
