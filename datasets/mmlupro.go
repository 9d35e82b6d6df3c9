package datasets

import "fmt"

// MMLUProFormat reads the questions of MMLU-Pro (arXiv 2406.01574) as in its Parquet files: three to ten options and
// the letter of the answer. Other files may have 2 to 26 options.
//
// Trailing options "N/A" only pad rows of the validation file to ten; they are dropped, as in the official scripts.
var MMLUProFormat = newFormat("mmlu-pro", Format{
	Parse: parser((*mmluRow).item),
})

type mmluRow struct {
	ID       *textOrNumber `json:"question_id" must:"id"`
	Question *string       `json:"question" must:"be"`
	Options  []*string     `json:"options" must:"be"`
	Answer   *string       `json:"answer" must:"be"`
	Index    *int          `json:"answer_index"`
	Category string        `json:"category"`
	Src      string        `json:"src"`
}

// maxOptions limits the options of a choice: each has a letter of the alphabet as its id.
const maxOptions = 26

func (r *mmluRow) item() (Item, error) {
	if len(r.Options) > maxOptions {
		return Item{}, fmt.Errorf("%d options: at most %d are allowed", len(r.Options), maxOptions)
	}
	gold, err := r.gold()
	if err != nil {
		return Item{}, err
	}
	item := Item{
		ID:       string(*r.ID),
		Shape:    ShapeChoice,
		Source:   r.Src,
		Group:    categoryOrDefault(r.Category, "(no category)"),
		Question: *r.Question,
		Gold:     gold,
	}
	if r.Index != nil && *r.Index != gold {
		item.Note = fmt.Sprintf("the answer is %s, but answer_index is %d: the letter counts", *r.Answer, *r.Index)
	}
	var texts []string
	for i, o := range r.Options[:r.optionCount(gold)] {
		if o == nil {
			return Item{}, fmt.Errorf("option %c is null", 'A'+i)
		}
		texts = append(texts, *o)
	}
	if len(texts) < 2 {
		return Item{}, fmt.Errorf("%d option: a choice needs two", len(texts))
	}
	item.Candidates = lettered(texts...)
	return item, nil
}

// gold returns the index of the correct option. The answer's letter counts, as in the official scripts: in the
// published test set it differs from answer_index for question_id 3983.
func (r *mmluRow) gold() (int, error) {
	a := *r.Answer
	if len(a) != 1 || a[0] < 'A' || a[0] > 'Z' {
		return 0, fmt.Errorf("answer %q is not a letter from A", a)
	}
	gold := int(a[0] - 'A')
	if gold >= len(r.Options) {
		return 0, fmt.Errorf("the answer is %s, but there are %d options", a, len(r.Options))
	}
	if r.Index != nil && (*r.Index < 0 || *r.Index >= len(r.Options)) {
		return 0, fmt.Errorf("answer_index is %d, but there are %d options", *r.Index, len(r.Options))
	}
	return gold, nil
}

// optionCount counts the options without padding: "N/A" at the end, after the correct option, whose index is gold.
func (r *mmluRow) optionCount(gold int) int {
	n := len(r.Options)
	for n > gold+1 && r.Options[n-1] != nil && *r.Options[n-1] == "N/A" {
		n--
	}
	return n
}
