package answer

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
	"gavel/protocols/reading"
)

// read is what the answer protocol makes of a reply, to a choice of n options
// where n is not 0.
func read(reply string, n int, how judging.Reading) judging.Verdict {
	s := judging.Presentation{Shape: datasets.Number}
	if n > 0 {
		s = judging.Presentation{Shape: datasets.Choice, Order: judgingtest.UpTo(n)}
	}
	return answer{template: answerTexts}.Parse(s, "\n"+reply, how)
}

// letters are replies by how they are read.
var letters = map[judging.Reading][]struct {
	name, reply string
	n           int
	want, rule  string // "" for no verdict
}{
	{}: {
		{"as asked for", "So it is nine. The answer is (C)", 10, "C", ruleAnswerIs},
		{"with a full stop", "The answer is (C).", 10, "C", ruleAnswerIs},
		{"without brackets", "the answer is C", 10, "C", ruleAnswerIs},
		{"one bracket", "the answer is (C", 10, "C", ruleAnswerIs},
		{"with its text", "The answer is (B) Paris.", 4, "B", ruleAnswerIs},
		{"in bold whole", "**The answer is (D)**", 4, "D", ruleAnswerIs},
		{"bold inside is not the script's", "The answer is **(D)**", 4, "", ""},
		{"final answer", "My final answer is (E)", 10, "E", ruleAnswerIs},
		{"several, the last binds", "The answer is (A)? No. The answer is (B).", 4, "B", ruleAnswerIs},
		{"a lower letter", "The answer is (c)", 4, "", ""},
		{"a capital ANSWER", "The ANSWER IS (C)", 4, "", ""},
		{"a word in capitals", "The answer is Be quick", 4, "B", ruleAnswerIs},
		{"two spaces", "The answer is  (C)", 4, "", ""},
		{"a line between", "The answer is\n(C)", 4, "", ""},
		{"colon", "Answer: C", 4, "C", ruleAnswerColon},
		{"colon, lower", "answer:C", 4, "C", ruleAnswerColon},
		{"colon and a line", "Answer:\n\nD. because", 4, "D", ruleAnswerColon},
		{"colon and bracket is not the script's", "Answer: (C)", 4, "", ""},
		{"colon, the last binds", "Answer: A\nAnswer: B", 4, "B", ruleAnswerColon},
		{"is goes before colon", "Answer: A. The answer is (B).", 4, "B", ruleAnswerIs},
		{"is goes before a later colon", "The answer is (B).\nAnswer: A", 4, "B", ruleAnswerIs},
		{"beyond the options", "The answer is (D)", 3, "", ""},
		{"beyond the options, an earlier one within", "The answer is (A). The answer is (D)", 3, "", ""},
		{"the last option of three", "The answer is (C)", 3, "C", ruleAnswerIs},
		{"the last option of ten", "The answer is (J)", 10, "J", ruleAnswerIs},
		{"beyond ten", "The answer is (K)", 10, "", ""},
		{"nothing", "", 4, "", ""},
		{"only a letter", "C", 4, "", ""},
		{"French", "La réponse est (B).", 4, "", ""},
		{"Chinese", "所以 the answer is (B)。", 4, "B", ruleAnswerIs},
		{"LaTeX", `\[ \boxed{C} \]`, 4, "", ""},
		{"code fence", "```\nThe answer is (A)\n```", 4, "A", ruleAnswerIs},
		{"JSON", `{"answer": "A"}`, 4, "", ""},
		{"a verdict of another protocol", "[[A>B]]", 4, "", ""},
		{"invalid UTF-8", "\xff The answer is (A)\xc3", 4, "A", ruleAnswerIs},
	},
	{Lenient: true}: {
		{"bold inside, lenient", "The answer is **(D)**", 4, "D", ruleLastLetter},
		{"nothing, lenient", "I do not know.", 4, "", ""},
		{"only a letter, lenient", "C", 4, "C", ruleLastLetter},
		{"letters in words do not stand alone", "ABBA BC", 4, "", ""},
		{"lenient, the last of several", "Either A or B, hence B, not A", 4, "A", ruleLastLetter},
		{"lenient, beyond the options", "It is E", 4, "", ""},
		{"lenient comes last", "The answer is (A). B", 4, "A", ruleAnswerIs},
		{"French, lenient", "La réponse est (B).", 4, "B", ruleLastLetter},
		{"LaTeX, lenient", `\[ \boxed{C} \]`, 4, "C", ruleLastLetter},
	},
	{First: true}: {
		{"several, imported, the first binds", "The answer is (A).\n\nQuestion: Next?\nThe answer is (B).", 4, "A", ruleAnswerIs},
		{"colon, the first binds", "Answer: A\nAnswer: B", 4, "A", ruleAnswerColon},
	},
	{Lenient: true, First: true}: {
		{"lenient, imported: the last all the same", "A then B", 4, "B", ruleLastLetter},
	},
}

func TestLetters(t *testing.T) {
	for how, replies := range letters {
		for _, c := range replies {
			v := protocoltest.Placeless(t, "\n"+c.reply, read(c.reply, c.n, how))
			if c.want == "" {
				if v.Outcome != judging.NoVerdict || v.Choice != judging.Nobody || v.Rule != "" {
					t.Errorf("%s: %q reads as %+v", c.name, c.reply, v)
				}
				continue
			}
			if want := (judging.Verdict{Outcome: judging.Decided, Label: c.want, Choice: int(c.want[0] - 'A'), Rule: c.rule}); v != want {
				t.Errorf("%s: %q reads as %+v, want %+v", c.name, c.reply, v, want)
			}
		}
	}
}

// numbers are replies by how they are read.
var numbers = map[judging.Reading][]struct {
	name, reply, want, rule string // "" for no verdict
}{
	{}: {
		{"as asked for", "16 - 7 = 9 eggs.\nThe answer is (arabic numerals): 18", "18", ruleAnswerIs},
		{"in brackets", "The answer is (18)", "18", ruleAnswerIs},
		{"money", "The answer is: $1,450,000.", "1450000", ruleAnswerIs},
		{"a unit after it", "The answer is 18 dollars, for 2 eggs.", "18", ruleAnswerIs},
		{"a full stop", "The answer is 18.", "18", ruleAnswerIs},
		{"decimals", "The answer is 18.50.", "18.5", ruleAnswerIs},
		{"zeros", "The answer is 45.0", "45", ruleAnswerIs},
		{"a leading point", "The answer is .5", "0.5", ruleAnswerIs},
		{"minus", "The answer is -3", "-3", ruleAnswerIs},
		{"minus, Unicode", "The answer is −3.5", "-3.5", ruleAnswerIs},
		{"minus before the currency", "The answer is -$3", "-3", ruleAnswerIs},
		{"minus after the currency", "The answer is $-3", "-3", ruleAnswerIs},
		{"percent", "The answer is 20%.", "20", ruleAnswerIs},
		{"percent in LaTeX", `The answer is $20\%$.`, "20", ruleAnswerIs},
		{"bold", "The answer is **18**.", "18", ruleAnswerIs},
		{"bold around the phrase", "**The answer is (arabic numerals):** 18", "18", ruleAnswerIs},
		{"boxed", `The answer is $\boxed{18}$.`, "18", ruleAnswerIs},
		{"boxed on the next line", "The answer is:\n\n\\[\n\\boxed{18}\n\\]", "18", ruleAnswerIs},
		{"asked for, then the next line", "The answer is (arabic numerals):\n\n**18**", "18", ruleAnswerIs},
		{"an escaped dollar", `The answer is \$18`, "18", ruleAnswerIs},
		{"boxed dollars", `The answer is \boxed{\$1{,}450}`, "1450", ruleAnswerIs},
		{"LaTeX's thin space", `The answer is 1\,450\,000`, "1450000", ruleAnswerIs},
		{"two kinds of space", "The answer is 1\u202f450\u00a0000", "1450", ruleAnswerIs},
		{"one kind of space", "The answer is 1\u202f450\u202f000", "1450000", ruleAnswerIs},
		{"points for thousands", "The answer is 1.450.000", "1450000", ruleAnswerIs},
		{"one point is decimal", "The answer is 1.450", "1.45", ruleAnswerIs},
		{"a comma that is none of thousands", "The answer is 1,45", "1", ruleAnswerIs},
		{"commas of a list", "The answer is 1,2,3", "1", ruleAnswerIs},
		{"a group too long", "The answer is 1,4500", "1", ruleAnswerIs},
		{"thousands with decimals", "The answer is $1,234.50", "1234.5", ruleAnswerIs},
		{"a unit without a space", "The answer is 1,450kg", "1450", ruleAnswerIs},
		{"a currency word", "The answer is USD18", "18", ruleAnswerIs},
		{"an abbreviation", "The answer is Rs. 50.", "50", ruleAnswerIs},
		{"pounds", "The answer is £12.00", "12", ruleAnswerIs},
		{"a fraction", "The answer is 3/4.", "0.75", ruleAnswerIs},
		{"a fraction without an end", "The answer is 1/3", "1/3", ruleAnswerIs},
		{"a mixed number", "The answer is 2 1/2 cups", "2.5", ruleAnswerIs},
		{"a fraction in LaTeX", `The answer is \frac{3}{4}`, "0.75", ruleAnswerIs},
		{"a negative fraction in LaTeX", `The answer is $-\dfrac{1}{2}$`, "-0.5", ruleAnswerIs},
		{"over nothing", "The answer is 5/0", "5", ruleAnswerIs},
		{"zeros in front", "The answer is 007", "7", ruleAnswerIs},
		{"zeros in front of a fraction", "The answer is 010/08", "1.25", ruleAnswerIs},
		{"a date", "The answer is 3/4/2024", "3", ruleAnswerIs},
		{"a power of ten", "The answer is 2e3", "2000", ruleAnswerIs},
		{"a sum", "The answer is 3 + 4 = 7.", "7", ruleAnswerIs},
		{"a sum of money", "The answer is $3 × $4 = $12.", "12", ruleAnswerIs},
		{"a sum in two steps", "The answer is 16 - 3 - 4 = 9 = 9.0", "9", ruleAnswerIs},
		{"a sum after its value", "The answer is 7 = 3 + 4", "7", ruleAnswerIs},
		{"a named value", "The answer is x = 5", "5", ruleAnswerIs},
		{"words between", "the answer is therefore 5 apples", "5", ruleAnswerIs},
		{"upper case", "THE ANSWER IS 5", "5", ruleAnswerIs},
		{"several, the last binds", "The answer is 5. Wait: the answer is 6.", "6", ruleAnswerIs},
		{"a phrase without a number after it", "The answer is 5. I hope the answer is clear.", "5", ruleAnswerIs},
		{"the number is of another sentence", "So 8 are left. The answer is clear. There were 20 at first.", "20", RuleLastNumber},
		{"the number is of another paragraph", "It makes 8. The answer is above.\n1. Check", "1", RuleLastNumber},
		{"not the phrase", "The final answer is 5, of 7.", "7", RuleLastNumber},
		{"GSM8K's own form", "9 * 2 = <<9*2=18>>18\n#### 18", "18", RuleLastNumber},
		{"the last number", "First 3, then 4, so 7 apples.", "7", RuleLastNumber},
		{"a range is two numbers", "pages 10-15", "15", RuleLastNumber},
		{"a formula in letters", "It saves 50 tons of CO2.", "50", RuleLastNumber},
		{"a name with a number", "GPT-4 says so", "4", RuleLastNumber},
		{"a list's dash is no minus", "- 5", "5", RuleLastNumber},
		{"an ellipsis", "...5", "5", RuleLastNumber},
		{"an id", "no. " + strings.Repeat("7", 80) + " is 3, " + strings.Repeat("8", 80), "3", RuleLastNumber},
		{"endless decimals", "0." + strings.Repeat("3", 80), "0." + strings.Repeat("3", 60), RuleLastNumber},
		{"nothing", "", "", ""},
		{"in words", "The answer is eighteen.", "", ""},
		{"only dashes and points", "-. $ .- %", "", ""},
		{"French", "La réponse est 18 pommes.", "18", RuleLastNumber},
		{"Chinese", "答案是18个苹果。", "18", RuleLastNumber},
		{"Arabic digits", "The answer is ١٨", "18", ruleAnswerIs},
		{"full-width digits", "The answer is：１８。", "18", ruleAnswerIs},
		{"code fence", "```python\nprint(17)\n```\nThe answer is 18", "18", ruleAnswerIs},
		{"only a code fence", "```\n18\n```", "18", RuleLastNumber},
		{"carriage returns", "The answer is:\r\n\r\n18\r\n", "18", ruleAnswerIs},
		{"invalid UTF-8", "\xffThe answer is \xc3 18\xff", "18", ruleAnswerIs},
	},
	{First: true}: {
		{"several, imported", "The answer is 5.\n\nQ: 1 + 1?\nThe answer is 2.", "5", ruleAnswerIs},
		{"the first phrase has none, imported", "The answer is as follows. The answer is 5. The answer is 6.", "5", ruleAnswerIs},
	},
}

func TestNumbers(t *testing.T) {
	for how, replies := range numbers {
		for _, c := range replies {
			v := read(c.reply, 0, how)
			outcome := judging.Decided
			if c.want == "" {
				outcome = judging.NoVerdict
			}
			if v.Outcome != outcome || v.Answer != c.want || v.Rule != c.rule || v.Choice != judging.Nobody || (v.Label == "") != (c.want == "") {
				t.Errorf("%s: %q reads as %+v, want %q by %q", c.name, c.reply, v, c.want, c.rule)
			}
		}
	}
}

func TestPreferences(t *testing.T) {
	none := judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.Nobody}
	conflict := judging.Verdict{Outcome: judging.Conflict, Choice: judging.Nobody}
	for _, c := range []struct {
		name, reply  string
		unique, last judging.Verdict
	}{
		{"A", "So [[A]]", judging.Verdict{Outcome: judging.Decided, Label: "A"}, judging.Verdict{Outcome: judging.Decided, Label: "A"}},
		{"a tie is an answer", "[[C]].", judging.Verdict{Outcome: judging.Decided, Label: "C", Choice: 2}, judging.Verdict{Outcome: judging.Decided, Label: "C", Choice: 2}},
		{"twice the same", "[[B]] … **[[B]]**", judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}, judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}},
		{"two", "[[A]] or [[B]]", conflict, judging.Verdict{Outcome: judging.Decided, Label: "B", Choice: 1}},
		{"one that was not offered", "[[D]]", judging.Verdict{Outcome: judging.NoVerdict, Label: "D", Choice: judging.Nobody}, judging.Verdict{Outcome: judging.NoVerdict, Label: "D", Choice: judging.Nobody}},
		{"lower case", "[[a]]", none, none},
		{"another protocol's", "[[A>B]]", none, none},
		{"one bracket", "[A]", none, none},
		{"nothing", "", none, none},
	} {
		for policy, want := range map[judging.Policy]judging.Verdict{judging.Unique: c.unique, judging.Last: c.last} {
			got := protocoltest.Placeless(t, c.reply, answer{template: answerTexts}.Parse(judging.Presentation{Shape: datasets.Preference, Order: judgingtest.UpTo(3)}, c.reply, judging.Reading{Policy: policy}))
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
		row := []rune(reading.PlainDigits(string(r)))
		if len(row) != 1 || row[0] < '0' || row[0] > '9' {
			t.Fatalf("%q reads as %q", r, string(row))
		}
	}
	for _, zero := range []rune{'٠', '۰', '०', '๐', '０', 0x1d7ce, 0x1d7d8, 0x1d7f6} {
		for d := range rune(10) {
			if got := reading.PlainDigits(string(zero + d)); got != string('0'+d) {
				t.Errorf("%q reads as %q", zero+d, got)
			}
		}
	}
}

// plainNumber is what plain writes.
var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$|^-?\d+/\d+$`)

// rightly tells whether what was recorded is right.
func rightly(r *judging.Record) bool {
	return rightVerdict(r, judging.Verdict{Choice: slices.Index(slices.Sorted(slices.Values(r.Order)), r.Choice), Answer: r.Answer})
}

func TestRight(t *testing.T) {
	for name, c := range map[string]struct {
		r    judging.Record
		want bool
	}{
		"the letter":      {judging.Record{Shape: datasets.Choice, Order: []string{"A", "B"}, Gold: "B", Choice: "B"}, true},
		"another":         {judging.Record{Shape: datasets.Choice, Order: []string{"A", "B"}, Gold: "B", Choice: "A"}, false},
		"none":            {judging.Record{Shape: datasets.Choice, Order: []string{"A", "B"}, Gold: "B"}, false},
		"neither":         {judging.Record{Shape: datasets.Options}, false},
		"the number":      {judging.Record{Shape: datasets.Number, Gold: "45.0", Answer: "45"}, true},
		"another number":  {judging.Record{Shape: datasets.Number, Gold: "45.0", Answer: "46"}, false},
		"no number":       {judging.Record{Shape: datasets.Number, Gold: "45.0"}, false},
		"a tie preferred": {judging.Record{Shape: datasets.Preference, Order: []string{"A", "B", "C"}, Gold: "C", Choice: "C"}, true},
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

// Replies of a megabyte, each bad for a careless reader: one that goes over them
// once for every word would be at it for minutes.
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
				read(reply, 0, judging.Reading{})
				read(reply, 4, judging.Reading{Lenient: true})
			}
			readBoth(1 << 17)
			trials.Long(t)
			readBoth(1 << 19)
		})
	}
}

// Whatever a model says, no option is chosen that is not there, no letter that
// it did not write, and a number reads back as itself.
func FuzzExtract(f *testing.F) {
	for how, replies := range letters {
		for _, c := range replies {
			f.Add(c.reply, uint8(c.n), how.First, how.Lenient)
		}
	}
	for how, replies := range numbers {
		for _, c := range replies {
			f.Add(c.reply, uint8(3), how.First, false)
		}
	}
	for _, h := range judgingtest.Hazards {
		f.Add(h, uint8(10), false, true)
	}
	f.Fuzz(func(t *testing.T, reply string, n uint8, first, lenient bool) {
		how := judging.Reading{First: first, Lenient: lenient}
		options := 2 + int(n)%9
		v := read(reply, options, how)
		protocoltest.Placeless(t, "\n"+reply, v)
		switch v.Outcome {
		case judging.Decided:
			if v.Choice < 0 || v.Choice >= options || v.Label != letter(v.Choice) || !strings.Contains(reply, v.Label) || v.Rule == ruleLastLetter && !lenient {
				t.Errorf("%q of %d options reads as %+v", reply, options, v)
			}
		case judging.NoVerdict:
			if v.Choice != judging.Nobody || v.Rule != "" || lenient && v.Label == "" && !lastLetter(reply).Nowhere() {
				t.Errorf("%q reads as %+v", reply, v)
			}
		default:
			t.Errorf("%q has outcome %s", reply, v.Outcome)
		}
		if !lenient { // what the strict rules find the lenient ones do not change
			if l := read(reply, options, judging.Reading{First: first, Lenient: true}); v.Label != "" && l != v {
				t.Errorf("%q reads as %+v, and leniently as %+v", reply, v, l)
			}
		}
		v = read(reply, 0, how)
		protocoltest.Placeless(t, "\n"+reply, v)
		if v.Outcome != judging.Decided {
			if v.Outcome != judging.NoVerdict || v != (judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.Nobody}) || strings.ContainsAny(reply, "123456789") && len(reply) == 1 {
				t.Errorf("%q reads as %+v", reply, v)
			}
			return
		}
		if !plainNumber.MatchString(v.Answer) || !SameNumber(v.Answer, v.Answer) && len(v.Answer) <= 60 || v.Choice != judging.Nobody {
			t.Errorf("%q reads as %+v", reply, v)
		}
		if utf8.ValidString(reply) && !strings.Contains(reading.PlainDigits(reply), v.Label) {
			t.Errorf("%q has no %q", reply, v.Label)
		}
		if _, ok := new(big.Rat).SetString(v.Answer); !ok {
			t.Errorf("%q reads as %q, no number", reply, v.Answer)
		}
	})
}
