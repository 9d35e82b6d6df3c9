package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/report"
)

func TestMarkdownToShare(t *testing.T) {
	board := &report.Leaderboard{Board: boardOf([]float64{50, 80}, [2]int{0, 1}), About: "which is better · d"}
	var b bytes.Buffer
	if err := (report.Document{Boards: []*report.Leaderboard{board}}).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**m1 judges best: correct in both orders on 80 % of the pairs.**", "| 1 | m1 |", "- which is better · d"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	path := filepath.Join(t.TempDir(), "a.md")
	for _, force := range []bool{false, true} {
		if err := report.WriteOther(path, force, (report.Document{}).Markdown); err != nil {
			t.Error(err)
		}
	}
	if err := report.WriteOther(path, false, (report.Document{}).Markdown); err == nil {
		t.Error("a file that was there is written over")
	}
}
