package scoring

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gavel/judging"
)

// JudgeName returns the name of a judge: its model without a path, and a jury by how many vote.
func JudgeName(model string) string {
	if n, _, is := JuryOf(model); is {
		return "Jury of " + CountWord(n)
	}
	return path.Base(model)
}

// Judge returns the name of the judge: as the suite's file does, or else by its model.
func (r *Report) Judge() string { return cmp.Or(r.Name, JudgeName(r.Model)) }

// JuryModel returns the name of the model of a jury.
func JuryModel(n int, models []string) string {
	return fmt.Sprintf("%s%d: %s", juryModel, n, strings.Join(models, ", "))
}

const juryModel = "jury of "

// JuryOf takes the name of a jury's model apart: how many vote, and their models.
func JuryOf(model string) (n int, models string, is bool) {
	rest, is := strings.CutPrefix(model, juryModel)
	count, models, found := strings.Cut(rest, ": ")
	n, err := strconv.Atoi(count)
	return n, models, is && found && err == nil
}

// NamesOf returns what judges are called, by people, a suite's file or else by their models, and where several have one
// name, what differs between these.
func NamesOf(sides []Side) []string {
	names := make([]string, len(sides))
	manifests := make([]*judging.Manifest, len(sides))
	for i, s := range sides {
		manifests[i] = cmp.Or(s.manifest, &judging.Manifest{})
		names[i] = cmp.Or(s.Name, JudgeName(s.Model))
	}
	for _, detail := range []func(i int) string{
		func(i int) string { return modelOf(sides[i]) },
		func(i int) string { return sides[i].Protocol },
		func(i int) string { return "prompt " + sides[i].Prompt },
		func(i int) string { return sides[i].Settings },
		func(i int) string { return sides[i].Dataset },
		func(i int) string { return Differences(manifests, names)[i] },
		func(i int) string { return sides[i].Run },
	} {
		values := map[string]map[string]bool{} // of each name
		for i, name := range names {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][detail(i)] = true
		}
		longer := slices.Clone(names)
		for i, name := range names {
			if what := detail(i); what != "" && len(values[name]) > 1 {
				longer[i] += " (" + what + ")"
			}
		}
		names = longer
	}
	return names
}

// modelOf returns the full name of a judge: of a jury, those of its members.
func modelOf(s Side) string {
	if _, models, is := JuryOf(s.Model); is {
		return models
	}
	return s.Model
}
