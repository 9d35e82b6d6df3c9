package pointwise

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gavel/judging"
)

// rubric holds criteria of one's own. Each is asked about alone, and the score of a response is the mean over the
// criteria by their weights.
type rubric struct {
	Criteria []criterion `yaml:"criteria"`
}

// criterion asks one question about a response.
type criterion struct {
	Name   string  `yaml:"name"`
	Ask    string  `yaml:"ask"`    // the question
	Levels string  `yaml:"levels"` // what levels of the scale mean, a line each; "": nothing is said
	Weight float64 `yaml:"weight"` // relative to the other criteria; 0: 1
}

// criterionKeyPrefix begins the names of a rubric's texts that ask about a criterion.
const criterionKeyPrefix = "criterion."

// readRubric reads a rubric's file as a prompt with a text for each criterion, for any scale.
func readRubric(path, text string) (judging.Template, error) {
	var r rubric
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&r); err != nil {
		return judging.Template{}, err
	}
	all := map[string]string{}
	for i, c := range r.Criteria {
		switch {
		case c.Name == "" || c.Ask == "":
			return judging.Template{}, fmt.Errorf("criterion %d lacks a name or a question (ask)", i+1)
		case all[criterionKeyPrefix+c.Name] != "":
			return judging.Template{}, fmt.Errorf("two criteria have the name %q", c.Name)
		case c.Weight < 0:
			return judging.Template{}, fmt.Errorf("the weight of %s is negative", c.Name)
		case c.Weight == 0:
			c.Weight = 1
		}
		words := strings.TrimSpace(c.Ask + "\n" + c.Levels)
		all[criterionKeyPrefix+c.Name] = strings.Replace(texts["criterion"], "{criterion}", words, 1)
		all[judging.WeightTextNamePrefix+c.Name] = strconv.FormatFloat(c.Weight, 'g', -1, 64)
	}
	if len(all) == 0 {
		return judging.Template{}, errors.New("the rubric has no criteria")
	}
	return judging.NewTemplateOfTexts(path, "file", all, matchNothing), nil // adapt fills in the scale
}

// rubricTemplate returns a rubric's prompt for the scale of the settings.
func rubricTemplate(t judging.Template, s judging.Settings) judging.Template {
	all := maps.Clone(t.Texts)
	for name, text := range all {
		all[name] = fillScale(text, s)
	}
	filled := judging.NewTemplateOfTexts(t.Name, t.Origin, all, matchNothing)
	filled.Labels = levelsOf(s.Get(scaleOption))
	return filled
}

// matchNothing matches nothing: the labels of a prompt with several texts are the levels of its scale.
var matchNothing = regexp.MustCompile(`$^`)

// criterionNames returns the names of a rubric's criteria; one empty name for another prompt.
func criterionNames(t judging.Template) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		if c, ok := strings.CutPrefix(name, criterionKeyPrefix); ok {
			names = append(names, c)
		}
	}
	if names == nil {
		names = []string{""}
	}
	return names
}
