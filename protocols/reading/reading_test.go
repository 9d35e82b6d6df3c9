package reading

import (
	"gavel/internal/trials"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

// reader is one of the readers, with what its table has on offer.
type reader struct {
	name string
	read func(string) Found
}

var pairOffer = []string{"A>B", "B>A", "A=B"}

var readers = []reader{
	{"pair", func(s string) Found { return PairLabel(s, pairOffer) }},
	{"preference", func(s string) Found { return Preference(s, []string{"A", "B", "C"}) }},
	{"correctness", Correctness},
	{"letter", func(s string) Found { return Letter(s, 10) }},
	{"number", Number},
	{"option", func(s string) Found { return Option(s, 3, false) }},
	{"worst", func(s string) Found { return Option(s, 3, true) }},
}

// labelled is a reply and what it says: a value, "-" for nothing, "?" for several.
type labelled struct{ want, reply string }

// table reads a file of labelled replies, a line each: what it says, "|", the reply with ⏎ for a new line.
func table(t testing.TB, name string) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for line := range strings.Lines(string(raw)) {
		want, reply, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		if !ok {
			t.Fatalf("%s: no label in %q", name, line)
		}
		want = strings.TrimSpace(want)
		switch {
		case name == "correctness" && want == "+":
			want = Correct
		case name == "correctness" && want == "x":
			want = Incorrect
		}
		all = append(all, labelled{want, strings.ReplaceAll(strings.TrimPrefix(reply, " "), "⏎", "\n")})
	}
	return all
}

func says(f Found) string {
	switch f.Outcome {
	case Stated:
		return f.Value
	case Conflict:
		return "?"
	}
	return "-"
}

func TestLabelledReplies(t *testing.T) {
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			all := table(t, r.name)
			if len(all) < 130 && r.name != "worst" {
				t.Errorf("%d labelled replies", len(all))
			}
			for _, c := range all {
				f := r.read(c.reply)
				if says(f) != c.want {
					t.Errorf("%q reads as %s (%+v), want %s", c.reply, says(f), f, c.want)
					continue
				}
				checkFound(t, r, c.reply, f)
			}
		})
	}
}

// TestMisread: testdata/misread.txt holds what the readers are known to get wrong, a line each: the reader, what the reply
// says, what is read, the reply. What is read rightly by now belongs to the reader's table.
func TestMisread(t *testing.T) {
	raw, err := os.ReadFile("testdata/misread.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := append(slices.Clone(readers), reader{"output", Output})
	for line := range strings.Lines(string(raw)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 4)
		if len(part) != 4 {
			t.Fatalf("%q", line)
		}
		i := slices.IndexFunc(all, func(r reader) bool { return r.name == strings.TrimSpace(part[0]) })
		reply := strings.ReplaceAll(strings.TrimPrefix(part[3], " "), "⏎", "\n")
		if got := says(all[i].read(reply)); got != strings.TrimSpace(part[2]) {
			t.Errorf("%s: %q reads as %s, and the table of what is misread says %s", part[0], reply, got, part[2])
		}
	}
}

// checkFound: a verdict has a rule and a place, and the place alone says the same.
func checkFound(t testing.TB, r reader, reply string, f Found) {
	t.Helper()
	if f.Start < 0 || f.Start > f.End || f.End > len(reply) {
		t.Fatalf("%s: %q reads as %+v, which is not in it", r.name, reply, f)
	}
	if f.Outcome != Stated {
		return
	}
	if f.Rule == "" || f.Start == f.End {
		t.Errorf("%s: %q reads as %+v: no rule, or nowhere", r.name, reply, f)
	}
	span := strings.ReplaceAll(undress(reply[f.Start:f.End]).lower, "$", "")
	inside := strings.Trim(span, " $`.[]{}\"'()_\t*")
	var same bool
	switch r.name {
	case "pair":
		same = pairLabel(inside) == f.Value || slices.Contains([]string{"a", "b"}, inside) || preference(inside) != ""
	case "preference": // of the worse, the other is the value
		same = preference(inside) != ""
	case "correctness":
		same = correctness(inside) == f.Value || len(undress(inside).words(correctWords, "")) > 0 == (f.Value == Correct)
	case "letter":
		same = strings.EqualFold(span, f.Value)
	case "number":
		span = "$" + strings.ReplaceAll(undress(reply[f.Start:f.End]).text, "$", "") // which makes a thousand of a k
		n, ok := undress(span).nextNumber(span, 0)
		same = ok
		if ok {
			n.spaced(span)
			undress(span).single(span, &n)
			same = n.Value() == f.Value || n.Value() == strings.TrimPrefix(f.Value, "-") || strings.Contains(n.Written, ".") // which may part thousands
		}
	case "option", "worst":
		same = strings.TrimLeft(span, "0") == f.Value || slices.Contains(numberWords, strings.ToLower(span))
	}
	if !same {
		t.Errorf("%s: %q reads as %+v, but %q stands there", r.name, reply, f, reply[f.Start:f.End])
	}
}

func TestWhatWasOnOffer(t *testing.T) {
	for _, c := range []struct {
		name  string
		found Found
		want  string
	}{
		{"a tie that was not on offer", PairLabel("[[A=B]]", pairOffer[:2]), "-"},
		{"an earlier label does not stand in for it", PairLabel("[[A>B]] … [[A=B]]", pairOffer[:2]), "?"},
		{"a tie of two", Preference("[[C]]", []string{"A", "B"}), "-"},
		{"a letter beyond the options", Letter("The answer is (E).", 4), "-"},
		{"the last option", Letter("The answer is (D).", 4), "D"},
		{"an option beyond", Option("Selection: Option 3", 2, false), "-"},
		{"the last of twenty", Option("Selection: Option 20", 20, false), "20"},
		{"the worst is asked for", Option("Option 1 is the best. Option 2 is the worst.", 3, true), "2"},
		{"the best is asked for", Option("Option 1 is the best. Option 2 is the worst.", 3, false), "1"},
	} {
		if got := says(c.found); got != c.want {
			t.Errorf("%s: %+v, want %s", c.name, c.found, c.want)
		}
	}
}

var longUnits = []string{
	"the answer is ", "The answer is 5. ", "answer is A ", "answer is not (A), ", "7", "1,234,", "1.234.", "1/2 ", "-", "$", "1+1=", "\n", "CO2", "[[", "]]", "[", "१",
	"*", "**a", "_", "`", "~", "{", "}", `\`, `\text{`, `\boxed{`, `\boxed{A}`, "#", "\n#", "\n>", "<", "&gt;", "[[A>B]] ", "not [[A>B]] ", "[[A>B]] or ", "[[A>B]]?", "\n1. [[A>B]]\n2. [[B>A]]",
	"verdict", "verdict: ", "verdict: A>", "Option 1 is the best. ", "Option 1 ", "Selection: ", "Selection Criteria: ", "selection\n", "I choose ", "(A) is correct. ", "(A) ", "not 5 ", "5 or ",
	"[[A>B]], ", "for example \"", "must output ", "<answer>", "答案是", "1 m^2 ", "5! = ", "(B), wait, ", "2 million ", "i.e. 20 - 2 ", "Option 1, Option 2 is ", "not Option 1, but ",
	"\u200b", "\uff21", "= ", "if the answer is ", ". ", "? ", "\xff", "\xe2\x82",
}

// Long replies, each bad for a careless reader: one that goes over them once for every word would be at it
// for minutes.
func TestLongReplies(t *testing.T) {
	trials.Long(t)
	const size = 1 << 15
	for _, unit := range longUnits {
		reply := strings.Repeat(unit, size/len(unit))
		for _, r := range readers {
			r.read(reply)
		}
	}
}

// Whatever a model says, what is read was on offer and stands in the reply.
func fuzz(f *testing.F, name string) {
	r := readers[slices.IndexFunc(readers, func(r reader) bool { return r.name == name })]
	for _, c := range table(f, name) {
		f.Add(c.reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		found := r.read(reply)
		if found.Start < 0 || found.Start > found.End || found.End > len(reply) {
			t.Fatalf("%q reads as %+v", reply, found)
		}
		if again := r.read(reply); again != found {
			t.Errorf("%q reads as %+v, then as %+v", reply, found, again)
		}
		if found.Outcome == None {
			return
		}
		if found.Rule == "" || found.Start == found.End {
			t.Errorf("%q reads as %+v", reply, found)
		}
		if found.Outcome == Stated && !offered[name](found.Value) {
			t.Errorf("%q reads as %+v, which was not on offer", reply, found)
		}
	})
}

var offered = map[string]func(string) bool{
	"pair":        func(s string) bool { return slices.Contains(pairOffer, s) },
	"preference":  func(s string) bool { return len(s) == 1 && strings.Contains("ABC", s) },
	"correctness": func(s string) bool { return s == Correct || s == Incorrect },
	"letter":      func(s string) bool { return len(s) == 1 && strings.Contains("ABCDEFGHIJ", s) },
	"number":      func(s string) bool { _, ok := new(big.Rat).SetString(s); return ok },
	"option":      func(s string) bool { return len(s) == 1 && strings.Contains("123", s) },
}

func FuzzPairLabel(f *testing.F)   { fuzz(f, "pair") }
func FuzzPreference(f *testing.F)  { fuzz(f, "preference") }
func FuzzCorrectness(f *testing.F) { fuzz(f, "correctness") }
func FuzzLetter(f *testing.F)      { fuzz(f, "letter") }
func FuzzNumber(f *testing.F)      { fuzz(f, "number") }
func FuzzOption(f *testing.F)      { fuzz(f, "option") }
