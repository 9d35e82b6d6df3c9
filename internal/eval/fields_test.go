package eval

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// TestFieldTableMatchesRequest: each entry of fields.yaml sets a value of a request, each value has an entry, and the
// limits and choices in the file are those of the code.
func TestFieldTableMatchesRequest(t *testing.T) {
	values := valuesByField(new(RunRequest))
	for _, name := range []string{"temperature", "top-p"} {
		if values[name] == nil {
			t.Errorf("no value %s", name)
		}
		delete(values, name) // always the same
	}
	limits := map[string]int{
		"repeat":          judging.MaxRepetitions,
		"concurrency":     judging.MaxConcurrency,
		"max-concurrency": judging.MaxConcurrency,
		"attempts":        judging.MaxAttempts,
	}
	choices := map[string][]string{
		"system-role": {backends.RoleSystem, backends.RoleUser},
		"think":       backends.ThinkValues,
		"turns":       datasets.TurnsValues,
	}
	bound := map[string]bool{}
	for _, f := range fieldEntries() {
		bound[f.Name] = true
		if values[f.Name] == nil {
			t.Errorf("%s: RunRequest has no value of that name", f.Name)
		}
		if f.Max != limits[f.Name] || !slices.Equal(f.Values, choices[f.Name]) {
			t.Errorf("%s: at most %d of %q, expected %d of %q", f.Name, f.Max, f.Values, limits[f.Name], choices[f.Name])
		}
		if text := "`HOW`: " + strings.Join(backends.ThinkValues[1:], ", "); f.Name == "think" && !strings.Contains(f.Help, text) {
			t.Errorf("think: help %q lacks %q", f.Help, text)
		}
	}
	for name := range values {
		if !bound[name] {
			t.Errorf("%s: fields.yaml has no entry", name)
		}
	}
}

// TestFieldTableOfEachProtocol: no text of a field has a placeholder left, and defaults in the file are those of the
// code.
func TestFieldTableOfEachProtocol(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range judging.Protocols() {
		defaults := map[string]string{
			"max-tokens": strconv.Itoa(NewRequest(k).CallParameters().MaxTokens),
			"timeout":    "10m",
			"retry-for":  "2m",
			"sample":     "0",
		}
		if groupsAreTasks(k) {
			defaults["sample"] = strconv.Itoa(DefaultItemsPerGroup)
		}
		for _, f := range ProtocolFields(k) {
			seen[f.Only] = true
			if text := f.Help + f.About; strings.ContainsAny(text, "{}") && f.option == nil {
				t.Errorf("%s --%s: %s", k.Name, f.Name, text)
			}
			if want, ok := defaults[f.Name]; ok && f.Default != want {
				t.Errorf("%s --%s: default %s, expected %s", k.Name, f.Name, f.Default, want)
			}
		}
	}
	for _, f := range fieldEntries() {
		if !seen[f.Only] {
			t.Errorf("%s: no protocol has fields only %q", f.Name, f.Only)
		}
	}
}
