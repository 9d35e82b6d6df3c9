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

// JudgeName returns the name of a judge: its model without a path, or for a jury the number of its members.
func JudgeName(model string) string {
	if n, _, ok := SplitJuryName(model); ok {
		return "Jury of " + NumberWord(n)
	}
	return path.Base(model)
}

// Judge returns the name of the judge: from the suite's file, or else its model.
func (r *Report) Judge() string { return cmp.Or(r.Name, JudgeName(r.Model)) }

// JuryModel returns the model name of a jury of n members with these models: "jury of 3: a, b, c".
func JuryModel(n int, models []string) string {
	return fmt.Sprintf("%s%d: %s", juryModelPrefix, n, strings.Join(models, ", "))
}

// juryModelPrefix begins the model name of a jury.
const juryModelPrefix = "jury of "

// SplitJuryName splits the model name of a jury into the number of members and their models.
func SplitJuryName(model string) (n int, models string, ok bool) {
	rest, ok := strings.CutPrefix(model, juryModelPrefix)
	count, models, hasCount := strings.Cut(rest, ": ")
	n, err := strconv.Atoi(count)
	return n, models, ok && hasCount && err == nil
}

// DisplayNames returns the display names of judges: from the user, a suite's file or the model. If several judges share
// a name, it adds a detail that distinguishes them, such as the prompt.
func DisplayNames(sides []Side) []string {
	names := make([]string, len(sides))
	manifests := make([]*judging.Manifest, len(sides))
	for i, s := range sides {
		manifests[i] = cmp.Or(s.manifest, &judging.Manifest{})
		names[i] = cmp.Or(s.Name, JudgeName(s.Model))
	}
	for _, detail := range []func(i int) string{
		func(i int) string { // the full model name; of a jury, the models of its members
			if _, models, ok := SplitJuryName(sides[i].Model); ok {
				return models
			}
			return sides[i].Model
		},
		func(i int) string { return sides[i].Protocol },
		func(i int) string { return "prompt " + sides[i].Prompt },
		func(i int) string { return sides[i].Settings },
		func(i int) string { return sides[i].Dataset },
		func(i int) string { return DistinctSettings(manifests, names)[i] },
		func(i int) string { return sides[i].Run },
	} {
		values := map[string]map[string]bool{} // details per name
		for i, name := range names {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][detail(i)] = true
		}
		detailed := slices.Clone(names)
		for i, name := range names {
			if value := detail(i); value != "" && len(values[name]) > 1 {
				detailed[i] += " (" + value + ")"
			}
		}
		names = detailed
	}
	return names
}
