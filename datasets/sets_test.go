package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func builtin(t *testing.T, name string, o OpenOptions) *Set {
	t.Helper()
	s, err := Library{t.TempDir()}.OpenWith(name, o)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := Lookup(name)
	if s.SHA256 != k.SHA256 || s.Format != k.Format || s.Skipped != 0 || s.Name != name {
		t.Errorf("%s: %d skipped, registry: %+v", name, s.Skipped, k)
	}
	if o.Turns == turnsFirst && s.Len() != k.Rows {
		t.Errorf("%s: %d items, the registry has %d", name, s.Len(), k.Rows)
	}
	return s
}

// reasons are the keys "reason" of a built-in file, by id.
func whyNot(t *testing.T, file []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(file)) {
		var row struct {
			ID     string `json:"question_id"`
			Reason string `json:"reason"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		all[row.ID] = row.Reason
	}
	return all
}

func countGroups(s *Set) map[string]int {
	groups := map[string]int{}
	for i := range s.Len() {
		groups[s.Group(i)]++
	}
	return groups
}

// computed are the answers of the sample's questions that can be worked out; the
// others are facts, and each line says which.
var computed = map[string]func() string{
	"sample-reasoning-02": func() string { return queue() },
	"sample-reasoning-03": func() string {
		wednesday := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
		return wednesday.AddDate(0, 0, 100).Weekday().String()
	},
	"sample-reasoning-04": func() string {
		n := 0
		for i := range 27 {
			faces := 0
			for _, at := range []int{i % 3, i / 3 % 3, i / 9} {
				if at != 1 {
					faces++
				}
			}
			if faces == 2 {
				n++
			}
		}
		return fmt.Sprint(n)
	},
	"sample-reasoning-05": func() string {
		for kinds := range 4 {
			a, b := kinds&1 > 0, kinds&2 > 0 // true: a knight
			if a == !b && b == (a == b) {
				return map[bool]string{true: "A is a knight and B is a knave.", false: "A is a knave and B is a knight."}[a]
			}
		}
		return ""
	},
	"sample-reasoning-06": func() string {
		for n, term := range []int{2, 6, 12, 20, 30} {
			if term != (n+1)*(n+2) {
				return ""
			}
		}
		return fmt.Sprint(6 * 7)
	},
	"sample-reasoning-07": func() string {
		for n := range 50 {
			for b := range n {
				if s := n - b; b > 0 && b-1 == s && b == 2*(s-1) {
					return fmt.Sprint(n)
				}
			}
		}
		return ""
	},
	"sample-math-01": func() string {
		n := 1
		for n%6 > 0 || n%8 > 0 || n%15 > 0 {
			n++
		}
		return fmt.Sprint(n)
	},
	"sample-math-02": func() string {
		n := 0
		for p := int64(50); p <= 70; p++ {
			if big.NewInt(p).ProbablyPrime(0) {
				n++
			}
		}
		return fmt.Sprint(n)
	},
	"sample-math-03": func() string {
		return new(big.Int).Exp(big.NewInt(7), big.NewInt(100), big.NewInt(5)).String()
	},
	"sample-math-04": func() string { return fmt.Sprintf("%d°", (7-2)*180) },
	"sample-math-05": func() string {
		n := int64(0)
		for i := range 36 {
			if i%6+i/6+2 == 8 {
				n++
			}
		}
		return big.NewRat(n, 36).String()
	},
	"sample-math-06": func() string {
		n := 0
		for i := range 10 {
			for j := i + 2; j < 10; j++ {
				if j-i != 9 {
					n++
				}
			}
		}
		return fmt.Sprint(n)
	},
	"sample-math-07": func() string {
		f := func(x int) int { return 3*x*x - 12*x + 7 }
		return fmt.Sprint(slices.MinFunc([]int{4, -2, 6, 2}, func(a, b int) int { return f(a) - f(b) }))
	},
	"sample-math-08": func() string {
		return fmt.Sprintf("%d %% lower", 100-100*120*80/10000)
	},
	"sample-coding-01": func() string { return fmt.Sprint(len(strings.Split("a,b,,c", ","))) },
	"sample-coding-02": func() string { return fmt.Sprint(len("héllo")) },
	"sample-coding-03": func() string {
		n := 0
		for i := 0; i < 20; i += 3 {
			n++
		}
		return fmt.Sprint(n)
	},
	"sample-coding-04": func() string { return fmt.Sprint(0b101101) },
	"sample-coding-06": func() string { return fmt.Sprint(bits.Len(1000)) },
	"sample-coding-07": func() string { // Python rounds down: so does Euclid's division where the divisor's sign is turned
		return new(big.Int).Div(big.NewInt(-7), big.NewInt(2)).String()
	},
	"sample-coding-08": func() string {
		a, b := 0, 1
		for range 10 {
			a, b = b, a+b
		}
		return fmt.Sprint(a)
	},
}

// queue tries every order of the five people.
func queue() string {
	people := []string{"Ada", "Ben", "Cem", "Dana", "Eli"}
	third := map[string]bool{}
	var try func(order []string)
	try = func(order []string) {
		if len(order) < len(people) {
			for _, p := range people {
				if !slices.Contains(order, p) {
					try(append(slices.Clone(order), p))
				}
			}
			return
		}
		at := func(p string) int { return slices.Index(order, p) }
		if at("Ada") < at("Ben") && at("Ben") < at("Dana") && at("Dana") < at("Cem") && at("Eli") == 4 {
			third[order[2]] = true
		}
	}
	try(nil)
	for p := range third {
		if len(third) == 1 {
			return p
		}
	}
	return ""
}

func TestSampleChoice(t *testing.T) {
	s := builtin(t, "sample-choice", OpenOptions{})
	why := whyNot(t, ownFile("sample-choice"))
	options := map[int]bool{}
	for i := range s.Len() {
		it := item(t, s, i)
		options[len(it.Candidates)] = true
		seen := map[string]bool{}
		for _, c := range it.Candidates {
			if seen[c.Text] {
				t.Errorf("%s: the option %q stands there twice", it.ID, c.Text)
			}
			seen[c.Text] = true
		}
		if why[it.ID] == "" || it.Note != "" || it.Shape != Choice {
			t.Errorf("%s: reason %q, note %q", it.ID, why[it.ID], it.Note)
		}
		if work, ok := computed[it.ID]; ok {
			if got, gold := work(), strings.ReplaceAll(it.Candidates[it.Gold].Text, "−", "-"); got != gold {
				t.Errorf("%s: the answer is %q, labelled is %q", it.ID, got, gold)
			}
			delete(why, it.ID)
		}
	}
	if n := len(why); n != s.Len()-len(computed) {
		t.Errorf("%d answers are not worked out, %d are written down to be", n, len(computed))
	}
	for n := 3; n <= 10; n++ {
		if !options[n] {
			t.Errorf("no question has %d options", n)
		}
	}
	if groups := countGroups(s); len(groups) != 4 || groups["Knowledge"] != 8 || groups["Math"] != 8 {
		t.Errorf("groups %v", groups)
	}
}

// step is a line of a worked solution, as in "Tiles: 24 * 18 = 432".
var step = regexp.MustCompile(`^[^:]+: (.+) = (-?[0-9.]+)$`)

func TestSampleNumber(t *testing.T) {
	s := builtin(t, "sample-number", OpenOptions{})
	thousands, decimals, negative := 0, 0, 0
	for i := range s.Len() {
		it := item(t, s, i)
		var row struct{ Answer string }
		if err := json.Unmarshal(it.Raw, &row); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(row.Answer, "\n")
		var last *big.Rat
		for _, line := range lines[:len(lines)-1] {
			m := step.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: no step: %s", it.ID, line)
			}
			want, _ := new(big.Rat).SetString(m[2])
			if last = sum(t, m[1]); last.Cmp(want) != 0 {
				t.Errorf("%s: %s is %s", it.ID, line, last.RatString())
			}
		}
		gold, ok := new(big.Rat).SetString(strings.ReplaceAll(it.Answer, ",", ""))
		if !ok || gold.Cmp(last) != 0 || it.Shape != Number || it.Gold != NoGold {
			t.Errorf("%s: the answer is %s, the last step %s", it.ID, it.Answer, last.RatString())
		}
		thousands += strings.Count(it.Answer, ",")
		decimals += strings.Count(it.Answer, ".")
		negative += strings.Count(it.Answer, "-")
	}
	if groups := countGroups(s); thousands < 3 || decimals < 3 || negative < 1 || len(groups) != 3 {
		t.Errorf("%d with thousands, %d with decimals, %d negative, groups %v", thousands, decimals, negative, groups)
	}
}

// sum works out a line of + - * / and brackets.
func sum(t *testing.T, text string) *big.Rat {
	t.Helper()
	rest := strings.ReplaceAll(text, " ", "")
	var expression func() *big.Rat
	factor := func() *big.Rat {
		if strings.HasPrefix(rest, "(") {
			rest = rest[1:]
			v := expression()
			rest = strings.TrimPrefix(rest, ")")
			return v
		}
		n := 0
		for n < len(rest) && (strings.ContainsRune("0123456789.", rune(rest[n])) || n == 0 && rest[0] == '-') {
			n++
		}
		v, ok := new(big.Rat).SetString(rest[:n])
		if !ok {
			t.Fatalf("no number at %q of %q", rest, text)
		}
		rest = rest[n:]
		return v
	}
	term := func() *big.Rat {
		v := factor()
		for rest != "" && (rest[0] == '*' || rest[0] == '/') {
			op := rest[0]
			rest = rest[1:]
			if w := factor(); op == '*' {
				v = new(big.Rat).Mul(v, w)
			} else {
				v = new(big.Rat).Quo(v, w)
			}
		}
		return v
	}
	expression = func() *big.Rat {
		v := term()
		for rest != "" && (rest[0] == '+' || rest[0] == '-') {
			op := rest[0]
			rest = rest[1:]
			if w := term(); op == '+' {
				v = new(big.Rat).Add(v, w)
			} else {
				v = new(big.Rat).Sub(v, w)
			}
		}
		return v
	}
	v := expression()
	if rest != "" {
		t.Fatalf("%q is left of %q", rest, text)
	}
	return v
}

func TestSamplePreference(t *testing.T) {
	why := whyNot(t, ownFile("sample-preference"))
	s := builtin(t, "sample-preference", OpenOptions{})
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "Left out: 3 of the votes, on a later turn (") {
		t.Errorf("notes %q", s.Notes)
	}
	s = builtin(t, "sample-preference", OpenOptions{Turns: TurnsAll})
	golds := map[string]int{}
	for i := range s.Len() {
		it := item(t, s, i)
		golds[it.Candidates[it.Gold].ID]++
		id, _, _ := strings.Cut(it.ID, ":")
		if len(it.Candidates) != 3 || it.Shape != Preference || why[id] == "" || it.Candidates[0].Text == it.Candidates[1].Text {
			t.Errorf("%s: %+v, reason %q", it.ID, it.Candidates, why[id])
		}
	}
	if groups := countGroups(s); s.Len() != 21 || len(groups) != 3 || groups["Writing"] != 7 || groups["Roleplay"] != 7 || groups["Humanities"] != 7 {
		t.Errorf("%d items, groups %v", s.Len(), groups)
	}
	if min(golds["A"], golds["B"], golds["C"]) < 4 {
		t.Errorf("labels %v", golds)
	}
}

// realFile is a file of the real data, or the test is skipped.
func realFile(t testing.TB, path string) string {
	t.Helper()
	path = filepath.Join("../../shared/data", path)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published file is not here: ", path)
	}
	return path
}

// MMLU-Pro as it is published, counted by other means; see the data's README.
func TestPublishedMMLUPro(t *testing.T) {
	s := open(t, realFile(t, "mmlu-pro/data/test-00000-of-00001.parquet"))
	k, _ := Lookup("mmlu-pro")
	if s.Len() != 12032 || s.Skipped != 0 || s.Format != "mmlu-pro" || s.SHA256 != k.Copy || k.Rows != s.Len() {
		t.Errorf("%d items, %d skipped, format %s, SHA-256 %s", s.Len(), s.Skipped, s.Format, s.SHA256)
	}
	options, sources := map[int]int{}, map[string]int{}
	for i := range s.Len() {
		it := item(t, s, i)
		options[len(it.Candidates)]++
		source, _, _ := strings.Cut(it.Source, "-")
		sources[source]++
		if it.Line != i+1 || it.Shape != Choice || !utf8.ValidString(it.Question) {
			t.Fatalf("item %d: %+v", i, it)
		}
	}
	same(t, "categories", countGroups(s), map[string]int{
		"biology": 717, "business": 789, "chemistry": 1132, "computer science": 410, "economics": 844, "engineering": 969, "health": 818, "history": 381,
		"law": 1101, "math": 1351, "other": 924, "philosophy": 499, "physics": 1299, "psychology": 798,
	})
	same(t, "options", options, map[int]int{3: 20, 4: 607, 5: 52, 6: 92, 7: 159, 8: 320, 9: 801, 10: 9981})
	same(t, "sources", sources, map[string]int{"ori_mmlu": 6810, "stemez": 4083, "theoremQA": 598, "scibench": 541})
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "the answer is C, but answer_index is 1: the letter counts") {
		t.Errorf("notes %q", s.Notes)
	}
	if i, ok := s.IDs().Find("3983"); !ok || item(t, s, i).Gold != 2 {
		t.Error("3983 is not C")
	}
	first := item(t, s, 0)
	if first.ID != "70" || first.Gold != 8 || first.Source != "ori_mmlu-business_ethics" || first.Candidates[0].Text != "Safe practices, Fear, Jealousy, Trivial" ||
		!strings.HasPrefix(string(first.Raw), `{"question_id":70,"question":"Typical advertising regulatory bodies suggest, `) {
		t.Errorf("the first: %s", first.Raw)
	}

	s = open(t, realFile(t, "mmlu-pro/data/validation-00000-of-00001.parquet"))
	if s.Len() != 70 || s.Skipped != 0 || len(s.Groups()) != 14 {
		t.Errorf("validation: %d items, %d groups", s.Len(), len(s.Groups()))
	}
	for i := range s.Len() {
		it := item(t, s, i)
		for _, c := range it.Candidates {
			if c.Text == "N/A" {
				t.Errorf("%s has an option N/A", it.ID)
			}
		}
	}
}

func same[K comparable](t *testing.T, what string, got, want map[K]int) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s: %v %d, want %d", what, k, got[k], n)
		}
	}
}

func TestPublishedGSM8K(t *testing.T) {
	path := realFile(t, "gsm8k/test.jsonl")
	s := open(t, path)
	k, _ := Lookup("gsm8k")
	info, err := os.Stat(path)
	if err != nil || s.Len() != 1319 || s.Skipped != 0 || s.SHA256 != k.SHA256 || k.Rows != 1319 || k.Bytes != info.Size() {
		t.Errorf("%d items, %d skipped, SHA-256 %s", s.Len(), s.Skipped, s.SHA256)
	}
	commas, negative, decimal := 0, 0, 0
	for i := range s.Len() {
		it := item(t, s, i)
		if it.ID != fmt.Sprint(i) || it.Line != i+1 {
			t.Fatalf("row %d has id %s and line %d", i, it.ID, it.Line)
		}
		if strings.Contains(it.Answer, ",") {
			commas++
		}
		negative += strings.Count(it.Answer, "-")
		decimal += strings.Count(it.Answer, ".")
	}
	if commas != 14 || negative != 2 || decimal != 0 {
		t.Errorf("%d answers with commas, %d negative, %d decimal", commas, negative, decimal)
	}
	if it := item(t, s, 0); it.Answer != "18" || !strings.HasPrefix(it.Question, "Janet’s ducks lay 16 eggs per day.") {
		t.Errorf("the first: %+v", it)
	}
}

// The published votes, with conversations made up, give the rows that the registry
// names for each category.
func TestPublishedVotes(t *testing.T) {
	file, err := os.ReadFile(realFile(t, "mt-bench/human_judgments/human.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(file)) {
		rows = append(rows, strings.TrimSuffix(strings.TrimSpace(line), "}")+`,"conversation_a":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"q"},{"role":"assistant","content":"a"}],`+
			`"conversation_b":[{"role":"user","content":"q"},{"role":"assistant","content":"b"},{"role":"user","content":"q"},{"role":"assistant","content":"b"}]}`)
	}
	s := openWith(t, OpenOptions{}, rows...)
	want := map[string]int{}
	for _, k := range Registry()[len(Registry())-8:] {
		want[k.Groups[0]] = k.Rows
	}
	same(t, "categories", countGroups(s), want)
	golds := map[string]int{}
	for i := range s.Len() {
		it := item(t, s, i)
		golds[it.Candidates[it.Gold].ID]++
		if it.Candidates[0].Model >= it.Candidates[1].Model {
			t.Errorf("%s: the names are not in order", it.ID)
		}
	}
	same(t, "labels", golds, map[string]int{"A": 308, "B": 308, "C": 182})
	if notes := strings.Join(s.Notes, " "); notes != "Left out: 1666 of the votes, on a later turn (--turns all takes them, with the whole conversation). Left out: 112 of the pairs of answers, on which no more than half of the votes agree." {
		t.Errorf("notes %s", notes)
	}
	if s = openWith(t, OpenOptions{Turns: TurnsAll}, rows...); s.Len() != 798+802 {
		t.Errorf("%d items of both turns", s.Len())
	}

	path := realFile(t, "mt-bench/human_judgments/human.jsonl")
	_, err = OpenFile(path)
	oneLine(t, err, path, "FILE:1: the conversations are missing: this is a file of votes alone, take the full one (no usable line among 3355; expected "+anyFormat()+")")
}

func TestPickOfEachGroup(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, question(with("question_id", i), with("category", []string{"law", "math", "art"}[i%3])))
	}
	s := openWith(t, OpenOptions{}, rows...)
	_, err := Selection{Sample: 1, SampleEach: 1}.Pick(s)
	oneLine(t, err, s.Path, "a sample of all items and one of each group: choose one")

	each := pick(t, Selection{SampleEach: 5, Seed: 7}, s)
	var apart []string
	for _, g := range s.Groups() {
		alone := pick(t, Selection{Sample: 5, Seed: 7}, openWith(t, OpenOptions{Groups: []string{g}}, rows...))
		if len(alone) != 5 {
			t.Errorf("%d of %s", len(alone), g)
		}
		apart = append(apart, alone...)
	}
	slices.Sort(apart)
	if sorted := slices.Sorted(slices.Values(each)); !slices.Equal(sorted, apart) {
		t.Errorf("together %v, one group after the other %v", sorted, apart)
	}
	if !slices.IsSortedFunc(each, func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("not in file order: %v", each)
	}
	if n := len(pick(t, Selection{SampleEach: 50}, s)); n != 60 {
		t.Errorf("%d of at most 50 of each", n)
	}
	if got, want := pick(t, Selection{SampleEach: 5, Seed: 7, Limit: 2}, s), each[:2]; !slices.Equal(got, want) {
		t.Errorf("limited %v, want %v", got, want)
	}
	// The definition, so that no later version draws another sample.
	if got := strings.Join(pick(t, Selection{SampleEach: 2, Seed: 7}, s), " "); got != "10 39 42 46 47 53" {
		t.Errorf("two of each by seed 7 are %s", got)
	}
}

func TestManyGroupsAreNotAllListed(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, pair(fmt.Sprint(i), with("source", fmt.Sprintf("s%02d", i))))
	}
	_, err := openFileWith(write(t, "many.jsonl", strings.Join(rows, "\n")), OpenOptions{Groups: []string{"x"}})
	if err == nil || !strings.Contains(err.Error(), "s38, s39 and 20 more") {
		t.Error(err)
	}
}

// publishUnsummed puts datasets in the registry that share a file without a
// published sum.
func publishUnsummed(t *testing.T, copySum string) (law, math Known) {
	t.Helper()
	law = Known{Name: "x-law", Rows: 1, Copy: copySum, Licence: "own", Format: "mmlu-pro", URL: "https://example.org/x.jsonl.gz?download=true", File: "x", Groups: []string{"law"}}
	math = law
	math.Name, math.Groups = "x-math", []string{"math"}
	gated := Known{Name: "gated", Rows: 1, Licence: "own", Format: "mmlu-pro", Source: "https://example.org", Get: "ask there"}
	before := Registry
	more := append(slices.Clone(Registry()), law, math, gated)
	Registry = func() []Known { return more }
	t.Cleanup(func() { Registry = before })
	return law, math
}

func TestFetchWithoutPublishedSum(t *testing.T) {
	content := gzipOf(t, lines(question(), question(with("question_id", 2), with("category", "math"))))
	law, math := publishUnsummed(t, hexSum([]byte(content)))
	lib := Library{t.TempDir()}
	client := func(body string) *http.Client {
		return &http.Client{Transport: remote(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
		})}
	}
	for name, tc := range map[string]struct{ body, want string }{
		"a page":           {"<html>", "x-law: the file received:1: not a JSON object (no usable line"},
		"another format":   {problem(), "x-law: the file received has the format gsm8k, x-law has mmlu-pro: nothing was stored"},
		"none of its rows": {question(with("category", "art")), "x-law: the file received has no item of the group law; there are art: nothing was stored"},
		"cut":              {content[:20], "x-law: the file received: unpacking the gzip file"},
	} {
		if err := lib.Fetch(context.Background(), client(tc.body), law, nil); err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), lib.Dir) {
			t.Errorf("%s: %v", name, err)
		}
		onlyHolds(t, lib)
	}
	said := int64(0)
	if err := lib.Fetch(context.Background(), client(content), law, func(n int64) { said = n }); err != nil || said != int64(len(content)) {
		t.Fatalf("%v; told %d bytes of %d", err, said, len(content))
	}
	onlyHolds(t, lib, "x.jsonl.gz", "x.jsonl.gz.sha256")
	for _, k := range []Known{law, math} {
		if s, err := lib.Open(k.Name); err != nil || !lib.Has(k) || s.Len() != 1 || s.Name != k.Name || s.Group(0) != k.Groups[0] || s.SHA256 != hexSum([]byte(content)) {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if said, err := lib.Said(law); err != nil || len(said) != 1 || said[0] != "its SHA-256 is "+hexSum([]byte(content))+", that of the copy gavel was tested with" {
		t.Errorf("%q, %v", said, err)
	}

	// Changed behind our back, and without its sum.
	other := gzipOf(t, lines(question()))
	if err := os.WriteFile(lib.Path("x-law"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := lib.Open("x-law")
	oneLine(t, err, lib.Path("x-law"), "FILE: SHA-256 is "+hexSum([]byte(other))+", that of the file taken in is "+hexSum([]byte(content))+": fetch or import it again")
	if err := os.Remove(sumFile(lib.Path("x-law"))); err != nil {
		t.Fatal(err)
	}
	_, err = lib.Open("x-law")
	oneLine(t, err, lib.Path("x-law"), "FILE: its SHA-256 is missing: fetch or import it again")
}

func TestImportWithoutPublishedSum(t *testing.T) {
	content := lines(question(), question(with("question_id", 2), with("category", "math")))
	law, _ := publishUnsummed(t, "")
	lib := Library{t.TempDir()}
	file := write(t, "carried.jsonl", content)
	for name, tc := range map[string]struct{ file, as, want string }{
		"without a name": {file, "", "FILE: SHA-256 " + hexSum([]byte(content)) + " is none of the published files ("},
		"no such name":   {file, "x", `unknown dataset "x": there is none of that name to import`},
		"built in":       {file, "sample", `unknown dataset "sample": there is none of that name to import`},
		"another sum":    {file, "gsm8k", "FILE: SHA-256 is " + hexSum([]byte(content)) + ", published is "},
		"another format": {file, "chatbot-arena", "FILE has the format mmlu-pro, chatbot-arena has chatbot-arena"},
		"another group":  {write(t, "y.jsonl", question(with("category", "art"))), "x-law", "FILE has no item of the group law; there are art"},
	} {
		_, _, err := lib.Import(tc.file, tc.as)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), tc.file, "FILE"), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		onlyHolds(t, lib)
	}
	if _, at, err := lib.Import(file, "x-law"); err != nil || at != filepath.Join(lib.Dir, "x.jsonl") || at != lib.Path("x-law") {
		t.Fatalf("%s, %v", at, err)
	}
	onlyHolds(t, lib, "x.jsonl", "x.jsonl.sha256")
	// The same, packed: it takes the place of the first.
	if _, at, err := lib.Import(write(t, "carried.jsonl.gz", gzipOf(t, content)), "x-math"); err != nil || at != lib.Path(law.Name) {
		t.Fatalf("%s, %v", at, err)
	}
	onlyHolds(t, lib, "x.jsonl.gz", "x.jsonl.gz.sha256")
	if s, err := lib.Open("x-law"); err != nil || s.Len() != 1 {
		t.Error(err)
	}
	if said, err := lib.Said(law); len(said) != 1 || !strings.HasSuffix(said[0], "; keep it with your results") || err != nil {
		t.Errorf("%q, %v", said, err)
	}
}

func TestGated(t *testing.T) {
	publishUnsummed(t, "")
	lib := Library{t.TempDir()}
	k, _ := Lookup("gated")
	err := lib.Fetch(context.Background(), nil, k, nil)
	oneLine(t, err, "FILE", `dataset "gated" cannot be fetched: ask there`)
	_, err = lib.Open("gated")
	oneLine(t, err, "FILE", `dataset "gated" is not on this machine: ask there; see https://example.org`)
	_, err = lib.Open("x-law")
	oneLine(t, err, "FILE", `dataset "x-law" is not on this machine: run "gavel datasets fetch x-law", or on a machine without network "gavel datasets import --as x-law FILE"`)
}

func TestPublishedExtensions(t *testing.T) {
	for name, want := range map[string]string{
		"mmlu-pro": "mmlu-pro.parquet", "gsm8k": "gsm8k.jsonl", "gsm-symbolic-p1": "gsm-symbolic-p1.jsonl", "mt-bench-writing": "mt-bench-human.parquet",
		"mt-bench-humanities": "mt-bench-human.parquet", "judgebench-gpt4o": "judgebench-gpt4o.jsonl", "chatbot-arena": "chatbot-arena.jsonl", "other": "other.jsonl",
	} {
		if got := (Library{"lib"}).Path(name); got != filepath.Join("lib", want) {
			t.Errorf("%s is kept as %s", name, got)
		}
	}
}

func BenchmarkOpenMMLUPro(b *testing.B) {
	path := realFile(b, "mmlu-pro/data/test-00000-of-00001.parquet")
	b.ReportAllocs()
	for b.Loop() {
		s, err := OpenFile(path)
		if err != nil || s.Len() != 12032 {
			b.Fatal(err)
		}
		s.Close()
	}
}
