package server

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gavel/judging"
)

// TestComparisonsNameWhatWasChosen: the list of a comparison says of each judgment
// what the list of the run's items says of it.
func TestComparisonsNameWhatWasChosen(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "a"), making{protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.8,seed=1"})
	makeRun(t, filepath.Join(dir, "b"), making{protocol: "multi-option", dataset: "sample-options", sim: "first"})
	s := newSite(t, dir, nil)
	judgments := map[string]map[string][]JudgmentBrief{}
	for _, run := range []string{"a", "b"} {
		var v ItemsView
		s.data("/api/v1/runs/"+run+"/items", &v)
		judgments[run] = map[string][]JudgmentBrief{}
		for _, item := range v.Items {
			judgments[run][item.ID] = item.Judgments
		}
	}
	var v compareView
	s.data("/api/v1/compare?a=a&b=b&show=all", &v)
	for _, row := range v.Items {
		if !reflect.DeepEqual(row.A, judgments["a"][row.ID]) || !reflect.DeepEqual(row.B, judgments["b"][row.ID]) || row.A[0].Choice == "" {
			t.Errorf("%s: %+v and %+v, the items say %+v and %+v", row.ID, row.A, row.B, judgments["a"][row.ID], judgments["b"][row.ID])
		}
	}
	if page := textOf(byID(t, s.get("/compare?a=a&b=b&show=all"), "items")); len(v.Items) != 20 || strings.Contains(page, "decided") {
		t.Errorf("%d items are listed, and some as decided alone:\n%s", len(v.Items), page)
	}
	must(t, os.Remove(filepath.Join(dir, "b", judging.ItemsFile)))
	var less compareView
	s.data("/api/v1/compare?a=a&b=b&show=all", &less)
	if row := less.Items[0]; row.A[0].Choice == "" || row.B[0].Choice != "" || row.B[0].Position == 0 {
		t.Errorf("without the texts of B: %+v", row)
	}
}
