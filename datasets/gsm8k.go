package datasets

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// GSM8KFormat reads the word problems of GSM8K (arXiv 2110.14168): question and a worked answer that ends "#### N".
//
// Its rows have no id. An item's id is its row number in the file, from 0, as the authors number them. The id is added
// to the line as the key "id", so that lines of a sample keep it. Other files may have ids and categories in the keys
// "id" and "category".
var GSM8KFormat = newFormat("gsm8k", Format{
	Parse: parser((*gsmRow).item),
	// A row without an id gets its number.
	Assemble: func(rows FileRows) ([]string, error) {
		return addKeyToRows(rows, "id", func(row int) any { return row })
	},
})

// gsmSymbolicFormat reads the generated problems of GSM-Symbolic (arXiv 2410.05229). An item's id is "id-instance".
// Only the file's name tells which of the three sets it is (GSM_p1.jsonl, p1/test.jsonl, gsm-symbolic-p1.jsonl); the
// set is added to the line as the key "category".
var gsmSymbolicFormat = newFormat("gsm-symbolic", Format{
	Parse: parser((*symbolicRow).item),
	Assemble: func(rows FileRows) ([]string, error) {
		return addKeyToRows(rows, "category", func(int) any { return symbolicGroup(rows.Path) })
	},
	ClusterKey: idPrefixFunc("-"), // TEMPLATE-INSTANCE
})

type gsmRow struct {
	Question *string       `json:"question" must:"be"`
	Answer   *string       `json:"answer" must:"be"`
	ID       *textOrNumber `json:"id" must:"id"`
	Category string        `json:"category"`
}

func (r *gsmRow) item() (Item, error) {
	number, err := finalNumber(*r.Answer)
	return Item{
		ID:       string(*r.ID),
		Shape:    ShapeNumber,
		Source:   "gsm8k",
		Group:    categoryOrDefault(r.Category, "GSM8K"),
		Question: *r.Question,
		Gold:     NoGold,
		Answer:   number,
	}, err
}

type symbolicRow struct {
	gsmRow
	Instance *textOrNumber `json:"instance" must:"id"`
}

func (r *symbolicRow) item() (Item, error) {
	item, err := r.gsmRow.item()
	item.ID += "-" + string(*r.Instance)
	item.Source = "gsm-symbolic"
	item.Group = categoryOrDefault(r.Category, gsmSymbolic)
	return item, err
}

// publishedNumber matches a number in the datasets' notation: "18", "-3", "1,450,000", "45.0".
var publishedNumber = regexp.MustCompile(`^-?[0-9][0-9,]*(\.[0-9]+)?$`)

// finalNumber returns the number after the first "####" of a worked answer, in its original notation.
func finalNumber(answer string) (string, error) {
	_, number, ok := strings.Cut(answer, "####")
	if !ok {
		return "", errors.New(`the answer has no "####"`)
	}
	number = strings.TrimSpace(number)
	if !publishedNumber.MatchString(number) {
		return "", fmt.Errorf(`the text after "####" is not a number: %q`, clip(number))
	}
	return number, nil
}

// gsmSymbolic is the group of GSM-Symbolic's first set, and begins those of the other two.
const gsmSymbolic = "GSM-Symbolic"

// symbolicSetPattern finds "p1" or "p2" in the name of a file or folder.
var symbolicSetPattern = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])p([12])(?:[^a-z0-9]|$)`)

// symbolicGroup returns the set that the name of a file or of its folder tells: GSM-Symbolic, GSM-Symbolic-P1 or -P2.
func symbolicGroup(path string) string {
	elements := pathElements(path)
	for _, name := range slices.Backward(elements[max(0, len(elements)-2):]) {
		if m := symbolicSetPattern.FindStringSubmatch(name); m != nil {
			return gsmSymbolic + "-P" + m[1]
		}
	}
	return gsmSymbolic
}
