package answer

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
	"gavel/protocols/reading"
)

// read returns the answer protocol's reading of a reply, to a choice of n options if n is not 0.
func read(reply string, n int, method judging.ReadingOptions) judging.Verdict {
	s := judging.Presentation{Shape: datasets.ShapeNumber}
	if n > 0 {
		s = judging.Presentation{Shape: datasets.ShapeChoice, Order: judgingtest.FirstIndexes(n)}
	}
	return answer{template: answerTexts}.Parse(s, "\n"+reply, method)
}

// readings maps the names in the tables of testdata to ways to read.
var readings = map[string]judging.ReadingOptions{
	"strict": {}, "lenient": {Lenient: true}, "first": {FirstAnswer: true}, "lenient first": {Lenient: true, FirstAnswer: true},
}

// TestLetters reads the replies of testdata/letters.txt, with a number of options each; "-" is no letter.
func TestLetters(t *testing.T) {
	for _, row := range protocoltest.ReadReplyTable(t, "testdata/letters.txt", 6) {
		method, want, reply := readings[row[0]], row[2], row[5]
		n, err := strconv.Atoi(row[1])
		assert.NilError(t, err)
		v := protocoltest.DropVerdictSpan(t, "\n"+reply, read(reply, n, method))
		if want == "-" {
			if v.Outcome != judging.NoVerdict || v.Choice != judging.NoCandidate || v.Rule != "" {
				t.Errorf("%s: %q reads as %+v", row[4], reply, v)
			}
			continue
		}
		assert.Equal(t, v, judging.Verdict{
			Outcome: judging.Decided, Label: want, Choice: int(want[0] - 'A'), Rule: row[3],
		}, "%s: %q", row[4], reply)
	}
}

// TestNumbers reads the replies of testdata/numbers.txt; "-" is no number.
func TestNumbers(t *testing.T) {
	for _, row := range protocoltest.ReadReplyTable(t, "testdata/numbers.txt", 5) {
		want, rule, reply := row[1], row[2], row[4]
		v := read(reply, 0, readings[row[0]])
		outcome := judging.Decided
		if want == "-" {
			outcome, want, rule = judging.NoVerdict, "", ""
		}
		if v.Outcome != outcome || v.Answer != want || v.Rule != rule || v.Choice != judging.NoCandidate || (v.Label == "") != (want == "") {
			t.Errorf("%s: %q reads as %+v, want %q by %q", row[3], reply, v, want, rule)
		}
	}
	for shape, want := range map[datasets.Shape]string{datasets.ShapeNumber: "1446", datasets.ShapeChoice: "C", datasets.ShapePreference: "A"} {
		assert.Equal(t, ReadValue(shape, "The answer is (C), [[A]], 1,446"), want)
	}
}

func TestPreferences(t *testing.T) {
	none := judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.NoCandidate}
	conflict := judging.Verdict{Outcome: judging.Conflict, Choice: judging.NoCandidate}
	for _, c := range []struct {
		name, reply  string
		unique, last judging.Verdict
	}{
		{"A", "So [[A]]", judging.Verdict{Outcome: judging.Decided, Label: "A"}, judging.Verdict{Outcome: judging.Decided, Label: "A"}},
		{"a tie is an answer", "[[C]].", judging.Verdict{Outcome: judging.Decided, Label: "C", Choice: 2}, judging.Verdict{Outcome: judging.Decided, Label: "C", Choice: 2}},
		{"twice the same", "[[B]] … **[[B]]**", judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}, judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}},
		{"two", "[[A]] or [[B]]", conflict, judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}},
		{"one that was not offered", "[[D]]", judging.Verdict{Outcome: judging.NoVerdict, Label: "D", Choice: judging.NoCandidate}, judging.Verdict{Outcome: judging.NoVerdict, Label: "D", Choice: judging.NoCandidate}},
		{"lower case", "[[a]]", none, none},
		{"another protocol's", "[[A>B]]", none, none},
		{"one bracket", "[A]", none, none},
		{"nothing", "", none, none},
	} {
		for policy, want := range map[judging.LabelPolicy]judging.Verdict{judging.PolicyUniqueLabel: c.unique, judging.PolicyLastLabel: c.last} {
			got := protocoltest.DropVerdictSpan(t, c.reply, answer{template: answerTexts}.Parse(judging.Presentation{Shape: datasets.ShapePreference, Order: judgingtest.FirstIndexes(3)}, c.reply, judging.ReadingOptions{LabelPolicy: policy}))
			if got != want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, policy, got, want)
			}
		}
	}
}

func TestSameNumber(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"45.0", "45", true}, {"1,450,000", "1450000", true}, {"$18", "18.00", true}, {"-3", "−3", true}, {"20%", "20", true},
		{"0.75", "3/4", true}, {"1/3", "1/3", true}, {".5", "0.50", true}, {"0", "-0", true}, {"1e3", "1000", true},
		{"0.1", "0.10000000000000000000001", false}, {"18", "81", false}, {"3", "-3", false}, {"1/3", "0.3333", false},
		{"", "", false}, {"eight", "eight", false}, {"1 or 2", "1", false}, {"9007199254740993", "9007199254740992", false},
	} {
		if SameNumber(c.a, c.b) != c.same || SameNumber(c.b, c.a) != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.same)
		}
	}
}

func TestDigitsOfAllScripts(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Nd, r) {
			continue
		}
		row := []rune(reading.ASCIIDigits(string(r)))
		if len(row) != 1 || row[0] < '0' || row[0] > '9' {
			t.Fatalf("%q reads as %q", r, string(row))
		}
	}
	for _, zero := range []rune{'٠', '۰', '०', '๐', '０', 0x1d7ce, 0x1d7d8, 0x1d7f6} {
		for d := range rune(10) {
			if got := reading.ASCIIDigits(string(zero + d)); got != string('0'+d) {
				t.Errorf("%q reads as %q", zero+d, got)
			}
		}
	}
}

// plainNumber matches the numbers that plain writes.
var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$|^-?\d+/\d+$`)

// rightly reports whether a record is right.
func rightly(r *judging.Record) bool {
	return rightVerdict(r, judging.Verdict{Choice: slices.Index(slices.Sorted(slices.Values(r.Order)), r.Choice), Answer: r.Answer})
}

func TestRight(t *testing.T) {
	for name, c := range map[string]struct {
		r    judging.Record
		want bool
	}{
		"the letter":      {judging.Record{Shape: datasets.ShapeChoice, Order: []string{"A", "B"}, Gold: "B", Choice: "B"}, true},
		"another":         {judging.Record{Shape: datasets.ShapeChoice, Order: []string{"A", "B"}, Gold: "B", Choice: "A"}, false},
		"none":            {judging.Record{Shape: datasets.ShapeChoice, Order: []string{"A", "B"}, Gold: "B"}, false},
		"neither":         {judging.Record{Shape: datasets.ShapeOptions}, false},
		"the number":      {judging.Record{Shape: datasets.ShapeNumber, Gold: "45.0", Answer: "45"}, true},
		"another number":  {judging.Record{Shape: datasets.ShapeNumber, Gold: "45.0", Answer: "46"}, false},
		"no number":       {judging.Record{Shape: datasets.ShapeNumber, Gold: "45.0"}, false},
		"a tie preferred": {judging.Record{Shape: datasets.ShapePreference, Order: []string{"A", "B", "C"}, Gold: "C", Choice: "C"}, true},
	} {
		if got := rightly(&c.r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		v := judging.Verdict{Choice: slices.Index(c.r.Order, c.r.Choice), Answer: c.r.Answer}
		c.r.Choice, c.r.Answer = "", ""
		if got := rightVerdict(&c.r, v); got != c.want {
			t.Errorf("%s, read again: %v", name, got)
		}
	}
}

// Replies of a megabyte that a quadratic reader would need minutes for.
func TestLongReplies(t *testing.T) {
	for name, unit := range map[string]string{
		"phrases":         "the answer is ",
		"phrases in turn": "The answer is 5. ",
		"letters":         "answer is A ",
		"digits":          "7",
		"groups":          "1,234,",
		"points":          "1.234.",
		"fractions":       "1/2 ",
		"signs":           "-",
		"currency":        "$",
		"sums":            "1+1=",
		"lines":           "\n",
		"letters, digit":  "CO2",
		"brackets":        "[[",
		"script":          "१",
	} {
		t.Run(name, func(t *testing.T) {
			readBoth := func(size int) {
				reply := strings.Repeat(unit, size/len(unit))
				read(reply, 0, judging.ReadingOptions{})
				read(reply, 4, judging.ReadingOptions{Lenient: true})
			}
			readBoth(1 << 17)
			trials.SkipUnlessSlowTests(t)
			readBoth(1 << 19)
		})
	}
}

// For any reply, no option is chosen that does not exist, no letter that is not in the reply, and a number reads back
// as itself.
func FuzzExtract(f *testing.F) {
	for _, row := range protocoltest.ReadReplyTable(f, "testdata/letters.txt", 6) {
		method := readings[row[0]]
		n, _ := strconv.Atoi(row[1])
		f.Add(row[5], uint8(n), method.FirstAnswer, method.Lenient)
	}
	for _, row := range protocoltest.ReadReplyTable(f, "testdata/numbers.txt", 5) {
		f.Add(row[4], uint8(3), readings[row[0]].FirstAnswer, false)
	}
	for _, h := range judgingtest.TemplateHazards {
		f.Add(h, uint8(10), false, true)
	}
	f.Fuzz(func(t *testing.T, reply string, n uint8, first, lenient bool) {
		method := judging.ReadingOptions{FirstAnswer: first, Lenient: lenient}
		options := 2 + int(n)%9
		v := read(reply, options, method)
		protocoltest.DropVerdictSpan(t, "\n"+reply, v)
		switch v.Outcome {
		case judging.Decided:
			if v.Choice < 0 || v.Choice >= options || v.Label != letter(v.Choice) || !strings.Contains(reply, v.Label) || v.Rule == ruleLastLetter && !lenient {
				t.Errorf("%q of %d options reads as %+v", reply, options, v)
			}
		case judging.NoVerdict:
			if v.Choice != judging.NoCandidate || v.Rule != "" || lenient && v.Label == "" && !lastLetter(reply).IsZero() {
				t.Errorf("%q reads as %+v", reply, v)
			}
		default:
			t.Errorf("%q has outcome %s", reply, v.Outcome)
		}
		if !lenient { // what the strict rules find the lenient ones do not change
			if l := read(reply, options, judging.ReadingOptions{FirstAnswer: first, Lenient: true}); v.Label != "" && l != v {
				t.Errorf("%q reads as %+v, and leniently as %+v", reply, v, l)
			}
		}
		v = read(reply, 0, method)
		protocoltest.DropVerdictSpan(t, "\n"+reply, v)
		if v.Outcome != judging.Decided {
			if v.Outcome != judging.NoVerdict || v != (judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.NoCandidate}) || strings.ContainsAny(reply, "123456789") && len(reply) == 1 {
				t.Errorf("%q reads as %+v", reply, v)
			}
			return
		}
		if !plainNumber.MatchString(v.Answer) || !SameNumber(v.Answer, v.Answer) && len(v.Answer) <= 60 || v.Choice != judging.NoCandidate {
			t.Errorf("%q reads as %+v", reply, v)
		}
		if utf8.ValidString(reply) && !strings.Contains(reading.ASCIIDigits(reply), v.Label) {
			t.Errorf("%q has no %q", reply, v.Label)
		}
		if _, ok := new(big.Rat).SetString(v.Answer); !ok {
			t.Errorf("%q reads as %q, no number", reply, v.Answer)
		}
	})
}
