package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PeopleScores holds people's scores of a response.
type PeopleScores struct {
	Scores map[string]float64 `json:"scores" must:"be"` // score by the name of the person, or of their column
	Scale  *[2]float64        `json:"scale,omitempty"`  // lowest and highest score that people could give, if known
}

// Mean returns the mean of people's scores.
func (p *PeopleScores) Mean() float64 {
	sum := 0.0
	for _, name := range sortedKeys(p.Scores) {
		sum += p.Scores[name]
	}
	return sum / float64(len(p.Scores))
}

// ScoresFormat reads responses with people's scores, one JSON object per line.
var ScoresFormat = newFormat("scores", Format{
	Parse: parser((*responseLine).item),
})

// responseLine is a line of the format ScoresFormat.
type responseLine struct {
	ID        *textOrNumber `json:"id" must:"id"`
	Source    string        `json:"source,omitempty"`
	Group     string        `json:"group,omitempty"`
	Question  *string       `json:"question" must:"be"`
	Response  *string       `json:"response" must:"be"`
	Reference string        `json:"reference,omitempty"`
	PeopleScores

	lineNumber int // number of its line in a file of one's own
}

func (l *responseLine) item() (Item, error) {
	item := Item{
		ID:         string(*l.ID),
		Shape:      ShapeResponse,
		Source:     l.Source,
		Group:      categoryOrDefault(l.Group, "(no group)"),
		Question:   *l.Question,
		Candidates: lettered(*l.Response),
		Gold:       NoGold,
		Reference:  l.Reference,
	}
	if len(l.Scores) > 0 || l.Scale != nil {
		item.People = &l.PeopleScores
	}
	return item, nil
}

// scoreName matches the names of columns with scores, in lower case without separators.
var scoreName = regexp.MustCompile(`^(human|people)?(scores?|ratings?|rater|annotator)\d*$`)

// scores returns the scores in a row's columns, by column or, if a row names the person, by person.
func (r tableRow) scores() (map[string]float64, error) {
	all := map[string]float64{}
	for _, c := range r.columnsByPart[partScore] {
		value := r.columnValue(c)
		person := cmp.Or(r.partTexts[partPerson], c)
		switch text := strings.ToLower(cmp.Or(strings.TrimSpace(ScalarText(value)), string(value))); text {
		case "", `""`:
		case "yes", "true":
			all[person] = 1
		case "no", "false":
			all[person] = 0
		default:
			score, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("column %q: %q is no score; write a number, or yes or no", c, clip(text))
			}
			all[person] = score
		}
	}
	if r.columnsByPart[partScore] != nil && len(all) == 0 {
		return nil, errors.New("no person has scored the response")
	}
	return all, nil
}

// score returns the message's score by a label, the mean over people from 0 to 1: from a table's lists of names and
// values, or a tree's object for each label. It returns nil without the label.
func (m *message) score(label string) *float64 {
	var lists struct {
		Name  []string
		Value []float64
	}
	json.Unmarshal(m.Labels, &lists)
	if k := slices.Index(lists.Name, label); k >= 0 && k < len(lists.Value) {
		return &lists.Value[k]
	}
	var each map[string]struct{ Value *float64 }
	json.Unmarshal(m.Labels, &each)
	return each[label].Value
}
