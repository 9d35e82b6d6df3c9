package cli

import (
	"net/http"
	"strings"
	"testing"
)

// answersAll plays a judge that answers every question with option B, or 7, and
// calls every answer correct that it is shown.
func answersAll(_ int64, user string) (int, string) {
	switch {
	case strings.Contains(user, "[The Start of Assistant's Answer]"):
		return http.StatusOK, "Let me see. [[Correct]]"
	case strings.Contains(user, "Options:"):
		return http.StatusOK, "Thinking of it, the answer is (B)."
	}
	return http.StatusOK, "So many. The answer is 7."
}

func sampleIDs(t *testing.T, dataset string) []string {
	t.Helper()
	set, err := (&env{}).library().Open(dataset)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	ids := make([]string, set.Len())
	for i := range ids {
		ids[i] = set.ItemID(i)
	}
	return ids
}
