package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gavel/internal/labels"
)

var sums = regexp.MustCompile(`What is (\d+) \+ (\d+)\?`)

// adds is a judge that knows what is right of some sums: it says so of those whose sum is no multiple of often, and names what
// it reads first of the others.
func adds(often int) func(int64, string) (int, string) {
	return func(call int64, user string) (int, string) {
		status, words := anything(call, user)
		_, answers, ok := strings.Cut(user, "<|The Start of Assistant A's Answer|>")
		m := sums.FindStringSubmatch(user)
		if !ok || m == nil {
			return status, words
		}
		first, second, _ := strings.Cut(answers, "<|The Start of Assistant B's Answer|>")
		right, label := sum(m), "A>B"
		if right%often != 0 && !strings.Contains(first, fmt.Sprintf("is %d.", right)) && strings.Contains(second, fmt.Sprintf("is %d.", right)) {
			label = "B>A"
		}
		return http.StatusOK, "My final verdict is: [[" + label + "]]"
	}
}

func sum(m []string) (n int) {
	var a, b int
	fmt.Sscan(m[1], &a)
	fmt.Sscan(m[2], &b)
	return a + b
}

// TestBrowserAfternoon chooses a judge by labels: a table of pairs, 40 labels by keyboard, three judges behind servers,
// more labels, an estimate for the rest, and the export of all as a dataset.
func TestBrowserAfternoon(t *testing.T) {
	browser := chromium(t)
	home(t)
	var table strings.Builder
	table.WriteString("prompt,out_1,out_2\n")
	const rows = 120
	for i := range rows {
		a, b := 11+i%61, 100+i
		out := []string{fmt.Sprintf("It is %d.", a+b), fmt.Sprintf("It is %d.", a+b+1+i%9)}
		fmt.Fprintf(&table, "What is %d + %d?,%s,%s\n", a, b, out[i/3%2], out[1-i/3%2])
	}
	write(t, "pairs.csv", table.String())
	mustCall(t, "datasets", "import", "pairs.csv", "--as", "sums", "--field", "question=prompt,response_a=out_1,response_b=out_2")
	labelling := func(args ...string) *serving {
		return begin(t, append([]string{"label", "sums", "--as", "ann", "--labels", "sums.labels.jsonl"}, args...)...)
	}
	s := labelling("--sample", "40")
	for _, l := range looks[:2] {
		b := newTab(t, browser, s.url, l, "label")
		b.open("/labels/ann")
		b.check("label")
	}
	b := newTab(t, browser, s.url, looks[0], "label")
	b.open("/labels/ann")
	texts := func(choice func([]string) string) { // what stands in the responses, left and right
		texts := evaluated[[]string](b, `[...document.querySelectorAll("article.candidate")].map(e => e.innerText)`)
		evaluated[bool](b, `window.before = true`)
		b.key(choice(texts))
		b.arrived("after a key")
	}
	right := func(texts []string) string {
		m := sums.FindStringSubmatch(evaluated[string](b, `document.querySelector("main").innerText`))
		if m == nil {
			t.Fatalf("no question: %q", texts)
		}
		for i, text := range texts {
			if strings.Contains(text, fmt.Sprintf("It is %d.", sum(m))) {
				return fmt.Sprint(i + 1)
			}
		}
		return "0"
	}
	texts(func([]string) string { return "0" })
	b.until("one is done", `document.querySelector("progress").value === 1`)
	texts(func([]string) string { return "u" }) // that was a slip
	b.until("it is asked for again", `document.querySelector("progress").value === 0`)
	b.key("n")
	b.until("the note has the focus", `document.activeElement.id === "note"`)
	evaluated[string](b, `document.getElementById("note").value = ""`)       // the driver types the n though the page took it
	b.do("a note", chromedp.SendKeys(chromedp.CSS("#note"), "1 is clearer")) // the key 1 types now
	if note := evaluated[string](b, `document.getElementById("note").value`); note != "1 is clearer" {
		t.Errorf("the note is %q", note)
	}
	b.press(`button[value="skip"]`)
	for range 43 {
		if evaluated[bool](b, `!document.querySelector("#label")`) {
			break
		}
		texts(right)
	}
	b.until("all are done", `document.querySelector("h1").innerText === "All items are done: thank you."`)
	b.check("label done")
	s.end()

	for often, name := range map[int]string{1000: "careful", 3: "careless", 1: "first"} {
		j := newJudge(t, false, adds(often))
		mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sums", "--out", filepath.Join("runs", name))
	}
	s = labelling("--sample", "70", "--runs", "runs")
	b = newTab(t, browser, s.url, looks[0], "label")
	b.open("/labels")
	if first := evaluated[string](b, `document.querySelector("#labels-judges tbody th a").innerText`); first != "tiny · careful" {
		t.Errorf("the judge that agrees most is %q", first)
	}
	b.check("labels")
	b.open("/labels/ann")
	for range 77 {
		if evaluated[bool](b, `!document.querySelector("#label")`) {
			break
		}
		texts(right)
	}
	b.open("/")
	b.until("the leaderboard says which judge agrees", `document.querySelector("#mine") !== null`)
	b.check("home with labels")
	s.end()

	f, err := labels.Read("sums.labels.jsonl")
	if err != nil || len(f.Labels) != 70 || len(f.RepeatLabels) != 7 {
		t.Fatalf("%d labels, %d again, %v", len(f.Labels), len(f.RepeatLabels), err)
	}
	if l := f.Labels; strings.Count(fmt.Sprint(l), "1 is clearer") != 1 {
		t.Error("the note is not kept")
	}
	var estimated labels.ShareEstimate
	parse(t, mustCall(t, "estimate", "runs/careless", "--labels", "sums.labels.jsonl", "--json"), &estimated)
	if *estimated.Share.Low > 50 || *estimated.Share.High < 50 {
		t.Errorf("half of all are A, not %v [%v, %v]", *estimated.Share.Value, *estimated.Share.Low, *estimated.Share.High)
	}
	mustCall(t, "label", "sums", "--labels", "sums.labels.jsonl", "--export", "labelled.jsonl")
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "labelled.jsonl", "--out", "runs/again")
	shows(t, "100.0", "score", "--full", "runs/again")
}
