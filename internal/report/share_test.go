package report_test

import (
	"bytes"
	"encoding/xml"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// A picture has the size that previews take, and the same runs give the same bytes.
func TestPicturesToShare(t *testing.T) {
	board := &report.Leaderboard{Board: boardOf([]float64{50, none, 80}, [2]int{0, 2})}
	run := report.Run{Report: scoring.Report{Protocol: "pairwise", RunSetup: scoring.RunSetup{Model: "lab/m\x1b[31m\u202e<&\n通义"}, RunSummary: scoring.RunSummary{Says: strings.Repeat("Long words. ", 90)}}}
	for name, d := range map[string]report.RunsReport{
		"leaderboard": {Runs: make([]report.Run, 3), Boards: []*report.Leaderboard{board}},
		"run":         {Runs: []report.Run{run}},
	} {
		var a, b bytes.Buffer
		if err := d.Picture(&a); err != nil {
			t.Fatal(name, err)
		}
		if err := d.Picture(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: %v, another picture of the same", name, err)
		}
		var svg struct {
			Width  int      `xml:"width,attr"`
			Height int      `xml:"height,attr"`
			Texts  []string `xml:"svg>text"`
			Dots   []struct {
				Radius float64 `xml:"r,attr"`
			} `xml:"svg>circle"`
		}
		if err := xml.Unmarshal(a.Bytes(), &svg); err != nil || len(svg.Texts) < 3 || svg.Width != 1200 || svg.Height != 630 {
			t.Errorf("%s: %v, %d × %d", name, err, svg.Width, svg.Height)
		}
		for _, dot := range svg.Dots {
			if dot.Radius != 9 {
				t.Errorf("%s: a text without words is drawn as a dot", name)
			}
		}
		for _, text := range svg.Texts {
			if strings.ContainsAny(text, "\x1b\n\u202e") || len(text) > 120 {
				t.Errorf("%s: the text %q", name, text)
			}
		}
	}
	if err := (report.RunsReport{Runs: make([]report.Run, 2)}).Picture(&bytes.Buffer{}); err == nil {
		t.Error("a picture of runs that do not stand on one leaderboard")
	}
}

// What a long title ends with, a simulated judge and its level, is not cut from the picture.
func TestPictureSaysSimulated(t *testing.T) {
	question := scoring.RunSetup{Model: "sim:" + strings.Repeat("accuracy=0.8,", 7), Simulated: true}
	answer := scoring.RunSummary{Diagnosis: &scoring.Diagnosis{Level: scoring.LevelWeak}}
	r := scoring.Report{Protocol: "pairwise", RunSetup: question, RunSummary: answer}
	var b bytes.Buffer
	if err := (report.RunsReport{Runs: []report.Run{{Report: r}}}).Picture(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "SIMULATED · weak</text>") {
		t.Errorf("a picture without what its title ends with: %s", b.String())
	}
}

func TestMarkdownToShare(t *testing.T) {
	board := &report.Leaderboard{Board: boardOf([]float64{50, 80}, [2]int{0, 1}), About: "which is better · d"}
	var b bytes.Buffer
	if err := (report.RunsReport{Boards: []*report.Leaderboard{board}}).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**m1 judges best: correct in both orders on 80 % of the pairs.**", "| 1 | m1 |", "- which is better · d"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if page, err := board.Body(); err != nil || !strings.Contains(string(page), "30 points above the first, the next.") {
		t.Errorf("the card of the best: %v\n%s", err, page)
	}
	path := filepath.Join(t.TempDir(), "a.md")
	for _, force := range []bool{false, true} {
		if err := report.WriteUnmarkedFile(path, force, (report.RunsReport{}).Markdown); err != nil {
			t.Error(err)
		}
	}
	if err := report.WriteUnmarkedFile(path, false, (report.RunsReport{}).Markdown); err == nil {
		t.Error("a file that was there is written over")
	}
}
