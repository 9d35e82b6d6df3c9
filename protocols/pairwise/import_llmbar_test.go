package pairwise

import (
	"fmt"
	"strings"
	"testing"

	"gavel/datasets"
)

// barGame returns a stored game of LLMBar; a winner of "" is none.
func barGame(text, winner string) string {
	if winner == "" {
		return fmt.Sprintf(`{"completion": [%q, "stop"], "winner": null}`, text)
	}
	return fmt.Sprintf(`{"completion": [%q, ""], "winner": %q}`, text, winner)
}

func barPhase(published, swapped string) string {
	return fmt.Sprintf(`{"swap = False": %s, "swap = True": %s}`, published, swapped)
}

func barRow(label int, results ...string) string {
	return fmt.Sprintf(`{"input": "Name a metal.", "output_1": "Iron", "output_2": "Wood\nΣ", "label": %d, "results": [%s]}`, label, strings.Join(results, ", "))
}

func FuzzLLMBarRow(f *testing.F) {
	game := barGame("Output (a)", "1")
	for _, s := range []string{barRow(1, barPhase(game, game)), barRow(2, `["x"]`, barPhase(game, "null"), barPhase(game, barGame("", ""))), `{"results": [{"score_1": 1}]}`, "null", "[]", `{"results":{}}`, "\xff",
		`{"input":"","output_1":"","output_2":"","label":1,"id":"x","results":[{"swap = True":{"completion":[{}]}}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		item, played, err := parseLLMBarRow([]byte(raw), "Natural#3")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		reparsed, err := datasets.LLMBarFormat.Parse(item.Raw)
		if err != nil || reparsed.ID != "Natural#3" || reparsed.Group != "Natural" || len(played) != 2 || strings.Contains(string(item.Raw), "\n") {
			t.Errorf("%q reads as %+v with %+v, its line as %+v, %v", raw, item, played, reparsed, err)
		}
	})
}
