package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// PeopleScores holds people's scores of a response.
type PeopleScores struct {
	Scores []*float64 `json:"scores" must:"be"` // score of each person, in the same order for all items; null: none
	Scale  [2]float64 `json:"scale"`            // lowest and highest score that people could give
}

// Mean returns the mean of people's scores.
func (p *PeopleScores) Mean() float64 {
	sum, n := 0.0, 0.0
	for _, score := range p.Scores {
		if score != nil {
			sum += *score
			n++
		}
	}
	return sum / n
}

// ResponseScores reads responses with people's scores, one JSON object per line.
var ResponseScores = Format{
	Name:  "scores",
	About: "JSON lines with id, question, response, scores (a list) and scale (lowest and highest score)",
	Shape: Response,
	Keys:  []string{"id", "question", "response", "scores", "scale"},
	Parse: parser((*responseLine).item),
}

// responseLine is a line of the format ResponseScores.
type responseLine struct {
	ID       *text   `json:"id" must:"id"`
	Source   string  `json:"source,omitempty"`
	Group    string  `json:"group,omitempty"`
	Question *string `json:"question" must:"be"`
	Response *string `json:"response" must:"be"`
	Model    string  `json:"model,omitempty"`
	PeopleScores
}

func (l *responseLine) item() (Item, error) {
	item := Item{
		ID:         string(*l.ID),
		Shape:      Response,
		Source:     l.Source,
		Group:      orGroup(l.Group, "(no group)"),
		Question:   *l.Question,
		Candidates: lettered(*l.Response),
		Gold:       NoGold,
		People:     &l.PeopleScores,
	}
	item.Candidates[0].Model = l.Model
	if math.IsNaN(l.Mean()) {
		return item, errors.New("no person has scored the response")
	}
	for _, score := range l.Scores {
		if score != nil && (*score < l.Scale[0] || *score > l.Scale[1]) {
			return item, fmt.Errorf("score %g is not on the scale from %g to %g", *score, l.Scale[0], l.Scale[1])
		}
	}
	return item, nil
}

// scaleText matches a scale: "1-5", "-2 to 2".
var scaleText = regexp.MustCompile(`^\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(-?\d+(?:\.\d+)?)\s*$`)

func parseScale(text string) (*[2]float64, error) {
	m := scaleText.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("scale=%s: write the lowest and the highest score, as in scale=1-5", text)
	}
	lowest, _ := strconv.ParseFloat(m[1], 64)
	highest, _ := strconv.ParseFloat(m[2], 64)
	return &[2]float64{lowest, highest}, nil
}

// findScale sets the scale of people's scores to the lowest and the highest score in a file, if the mapping names
// columns of scores but no scale.
func (t *mapper) findScale(all FileRows) {
	if t.columns[partScore] == nil || t.scale != nil {
		return
	}
	t.scale = &[2]float64{math.Inf(1), math.Inf(-1)}
	for row := range all.All {
		scores, err := tableRow{mapper: t, cells: keysOf(row.Text)}.scores()
		for _, score := range scores {
			if err == nil && score != nil {
				t.scale[0], t.scale[1] = min(t.scale[0], *score), max(t.scale[1], *score)
			}
		}
	}
}

// scores returns the scores in a row's columns, nil for an empty cell.
func (r tableRow) scores() (all []*float64, err error) {
	for _, c := range r.columns[partScore] {
		for _, value := range elements(r.lookup(c)) {
			text := strings.ToLower(strings.TrimSpace(Scalar(value)))
			if text == "" {
				text = string(value)
			}
			var score *float64
			switch text {
			case "", `""`, "null":
			case "yes", "true":
				score = new(1.0)
			case "no", "false":
				score = new(0.0)
			default:
				x, bad := strconv.ParseFloat(text, 64)
				if bad != nil || math.IsNaN(x) || math.IsInf(x, 0) {
					return nil, fmt.Errorf("column %q has %q, which is no score: write a number, or yes or no", c, clip(text))
				}
				score = &x
			}
			all = append(all, score)
		}
	}
	return all, nil
}

// messageLabels holds people's labels of a message in OASST, each from 0 to 1, the mean over raters.
type messageLabels map[string]float64

// UnmarshalJSON reads the labels of a table of messages, lists of names and values, or those of a tree, an object for
// each. Labels of another form are left out, since only some protocols use them.
func (l *messageLabels) UnmarshalJSON(data []byte) error {
	var lists struct {
		Name  []string
		Value []float64
	}
	*l = messageLabels{}
	if json.Unmarshal(data, &lists) == nil && len(lists.Name) == len(lists.Value) {
		for i, name := range lists.Name {
			(*l)[name] = lists.Value[i]
		}
	}
	var each map[string]struct{ Value *float64 }
	if json.Unmarshal(data, &each) == nil {
		for name, label := range each {
			if label.Value != nil {
				(*l)[name] = *label.Value
			}
		}
	}
	return nil
}
