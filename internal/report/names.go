package report

import (
	"slices"
	"strings"

	"gavel/scoring"
)

// NamesOf returns a different name for each run: the name of its judge (its model, if judges of several models have the
// same name) and the properties in which the runs differ, or else the run's folder.
func NamesOf(runs []scoring.Report) []string {
	parts := []func(scoring.Report) string{
		func(r scoring.Report) string { return r.Protocol },
		func(r scoring.Report) string { return r.Goal },
		func(r scoring.Report) string { return "prompt " + r.Prompt },
		settings,
		func(r scoring.Report) string {
			var all []string
			for s := range strings.SplitSeq(r.Settings, ", ") {
				if words := settingWords(r, s); words != "" {
					all = append(all, words)
				}
			}
			return strings.Join(all, ", ")
		},
		func(r scoring.Report) string { return r.Dataset },
	}
	models := map[string]string{} // by the judge's name; "" if there are several
	for _, r := range runs {
		if model, has := models[r.Judge()]; has && model != r.Model {
			models[r.Judge()] = ""
			continue
		}
		models[r.Judge()] = r.Model
	}
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = r.Judge()
		if models[r.Judge()] == "" && r.Name == "" && !isJury(r.Model) {
			names[i] = r.Model
		}
	}
	for k, part := range parts {
		if k == 1 && impliesProperty(runs, parts[0], part) {
			continue // the protocol says it already
		}
		if !slices.ContainsFunc(runs, func(r scoring.Report) bool { return part(r) != part(runs[0]) }) {
			continue
		}
		for i, r := range runs {
			if part(r) != "" {
				names[i] += " · " + part(r)
			}
		}
	}
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, r := range runs {
		if count[names[i]] > 1 {
			names[i] += " · " + r.Run
		}
	}
	return names
}

// settings returns the settings of a run that names show as they are: those without words in the layout.
func settings(r scoring.Report) string {
	return strings.Join(slices.DeleteFunc(strings.Split(r.Settings, ", "), func(s string) bool {
		return strings.HasPrefix(s, "goal ") || settingWords(r, s) != ""
	}), ", ")
}

// settingWords returns the layout's words for a setting in names; "" if names show the setting as it is.
func settingWords(r scoring.Report, setting string) string {
	for prefix, words := range layoutOf(r.Protocol).SettingWords {
		if strings.HasPrefix(setting, prefix) {
			return words
		}
	}
	return ""
}

// impliesProperty reports whether property b follows from property a: runs with the same a also have the same b.
func impliesProperty(runs []scoring.Report, a, b func(scoring.Report) string) bool {
	values := map[string]string{}
	for _, r := range runs {
		if v, ok := values[a(r)]; ok && v != b(r) {
			return false
		}
		values[a(r)] = b(r)
	}
	return true
}

// QuestionSuffix returns the words after a protocol's question on how it is asked, such as ", in both orders".
func QuestionSuffix(protocol string) string { return layoutOf(protocol).QuestionSuffix }
