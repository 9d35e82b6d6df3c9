package multioption

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// optionReplies are replies to a prompt with three options, and the number that
// each reads as; 0 is no verdict. Rule: after the first "Selection", or in the
// whole reply where there is none, the first "Option", a space and a number.
var optionReplies = []struct {
	name, reply string
	want        int
	reason      string
}{
	// As the prompts ask for it.
	{name: "prompt 1", reply: "Selection: Option 2\nExplanation: It answers the question and is correct.", want: 2},
	{name: "prompt 2", reply: "Evaluation: Option 1 is wrong. Option 2 is vague. Option 3 is right.\nSelection: Option 3\nExplanation: Option 1 and 2 are not.", want: 3},
	{name: "the bare option", reply: "Option 3", want: 3, reason: "without the word, the whole reply is read"},
	{name: "on the next line", reply: "Selection:\nOption 3\n\nExplanation:\nOption 1 is worse.", want: 3},
	{name: "explained before, without the word", reply: "Having read all, I choose Option 2 over Option 1.", want: 2},
	{name: "quotes of the prompt", reply: "Selection: 'Option 3'", want: 3},
	{name: "the label of a constrained turn", reply: "\nSelection: Option 3", want: 3},

	// Markdown.
	{name: "bold option", reply: "**Selection:** **Option 2**", want: 2},
	{name: "heading", reply: "### Selection\nOption 1\n\n### Explanation\n…", want: 1},
	{name: "in brackets", reply: "Selection: [Option 2]", want: 2},
	{name: "code fence, as the prompt shows", reply: "```\nSelection: Option 2\nExplanation: short and right.\n```", want: 2},
	{name: "table", reply: "| Selection | Option 3 |\n|---|---|", want: 3},
	{name: "LaTeX", reply: `Selection: \boxed{\text{Option 2}}`, want: 2},
	{name: "JSON", reply: `{"Selection": "Option 3", "Explanation": "…"}`, want: 3},
	{name: "XML", reply: "<Selection>Option 2</Selection>", want: 2},
	{name: "spoken of by its text first", reply: "Selection: the one that says 7, that is Option 3.", want: 3},

	// Numbers.
	{name: "two, the first binds", reply: "Selection: Option 1 and Option 2", want: 1},
	{name: "a range", reply: "Selection: Option 1-3", want: 1},
	{name: "a fraction", reply: "Selection: Option 2.5", want: 2},
	{name: "leading zeros", reply: "Selection: Option 02", want: 2},
	{name: "zero", reply: "Selection: Option 0", want: 0, reason: "the authors' code reads it as the last option, which is not kept"},
	{name: "one too many", reply: "Selection: Option 4", want: 0},
	{name: "far too many", reply: "Selection: Option 13", want: 0, reason: "not the option 1"},
	{name: "beyond any number", reply: "Selection: Option 99999999999999999999999", want: 0},
	{name: "zero, then an option", reply: "Selection: Option 0. Explanation: Option 2 was close.", want: 0, reason: "the first binds"},
	{name: "too many, then an option", reply: "Selection: Option 4, I mean Option 3", want: 0, reason: "the first binds"},
	{name: "below zero", reply: "Selection: Option -1", want: 0},
	{name: "full-width number", reply: "Selection: Option ２", want: 0, reason: "a digit is one of 0 to 9"},
	{name: "a word for the number", reply: "Selection: Option Two", want: 0},
	{name: "the number alone", reply: "Selection: 2", want: 0},
	{name: "a hash", reply: "Selection: Option #2", want: 0},
	{name: "nothing between", reply: "Selection: Option2", want: 0},
	{name: "two spaces", reply: "Selection: Option  2", want: 0},
	{name: "a line break between", reply: "Selection: Option\n2", want: 0},
	{name: "a no-break space", reply: "Selection: Option\u00a02", want: 0},
	{name: "only the number in bold", reply: "Selection: Option **2**", want: 0, reason: "the emphasis is around the number alone"},
	{name: "only the word in bold", reply: "Selection: **Option** 2", want: 0},
	{name: "only the number in bold, another in the explanation", reply: "Selection: Option **2**\nExplanation: Option 1 is wrong.", want: 1,
		reason: "the regular expression passes over what it cannot read: the authors' rule, with its fault"},

	// Upper and lower case.
	{name: "small letters", reply: "Selection: option 3", want: 0, reason: "the authors' expression has a capital"},
	{name: "capitals", reply: "Selection: OPTION 3", want: 0},
	{name: "small letters in the explanation before", reply: "I first read option 3, and then option 2.\nSelection: Option 1", want: 1},
	{name: "small letters, then the option", reply: "Selection: option 3, that is, Option 3", want: 3},
	{name: "the word in small letters", reply: "Option 1 is poor. My selection: Option 2", want: 1, reason: "no \"Selection\": the whole reply is read"},

	// Several selections.
	{name: "a second thought", reply: "Selection: Option 1\n\nWait. Selection: Option 2", want: 1, reason: "after the first"},
	{name: "the criteria of prompts 3 and 4 repeated", reply: "**Selection Criteria:** accuracy; Option 1 has none.\n\n**Selection:** Option 2", want: 1,
		reason: "the first \"Selection\" is that of the criteria: the authors' rule, with its fault"},
	{name: "the criteria repeated without an option", reply: "**Selection Criteria:** accuracy, clarity.\n\n**Selection:** Option 2", want: 2},
	{name: "the format repeated", reply: "I will give my Selection as asked.\nSelection: Option 3", want: 3},
	{name: "the prompt repeated", reply: "Selection: respond with Option and the number corresponding to that option.\nSelection: Option 2", want: 2},
	{name: "an empty one", reply: "Selection:\nSelection: Option 3", want: 3},
	{name: "after the option alone", reply: "Option 2 is my Selection.", want: 0, reason: "nothing follows the word"},
	{name: "the word within another", reply: "Selections were hard. Option 2.", want: 2},
	{name: "a selection of none", reply: "Selection: none of them. Explanation: all are wrong.", want: 0},
	{name: "a selection of none, with a reason", reply: "Selection: none. Explanation: Option 1 is wrong.", want: 1, reason: "the rule reads on: the authors' fault"},

	// Other languages.
	{name: "German", reply: "Auswahl: Option 2\nErklärung: Sie ist richtig.", want: 2, reason: "the word is the same"},
	{name: "French", reply: "Sélection : Option 3", want: 3, reason: "the accent makes it another word: the whole reply is read"},
	{name: "Spanish", reply: "Selección: Opción 2", want: 0},
	{name: "Chinese", reply: "选择：选项 2", want: 0},
	{name: "Chinese with the words asked for", reply: "Selection：Option 2\n解释：它是正确的。", want: 2},
	{name: "Japanese with the option in English", reply: "私の選択は Option 3 です。", want: 3},

	// Thinking and no verdict at all.
	{name: "thinking taken off", reply: "\n\nSelection: Option 2", want: 2},
	{name: "thinking left in the text", reply: "<think>Option 1? No, Option 3.</think>\nSelection: Option 2", want: 2},
	{name: "thinking that names the word", reply: "<think>My Selection could be Option 1.</think>\nSelection: Option 2", want: 1, reason: "thinking that the server leaves in the text is text"},
	{name: "empty", reply: "", want: 0},
	{name: "blank", reply: " \n\t", want: 0},
	{name: "the word alone", reply: "Selection", want: 0},
	{name: "a refusal", reply: "I'm sorry, but I can't compare these.", want: 0},
	{name: "a pairwise label", reply: "[[A>B]]", want: 0},
	{name: "invalid UTF-8 before it", reply: "\xff\xfeSelection: Option 2", want: 2},
	{name: "NUL around it", reply: "\x00Selection: \x00Option 3\x00", want: 3},
}

func TestMultiOptionParse(t *testing.T) {
	if n := len(optionReplies); n < 60 {
		t.Errorf("%d replies", n)
	}
	for _, tpl := range Protocol.Templates {
		for _, goal := range goalOption.Values {
			p := choosing(t, tpl.Name, judging.Settings{"goal": goal})
			for _, s := range p.Presentations(optionsItem("a", "b", "c")) {
				for _, c := range optionReplies {
					// No policy changes what is read.
					for _, how := range []judging.Reading{{Policy: judging.Unique}, {Policy: judging.Last}, {Policy: judging.Unique, Lenient: true, First: true, AcceptCut: true}} {
						v := p.Parse(s, c.reply, how)
						got := 0
						if v.Outcome == judging.Decided {
							got = 1 + slices.Index(s.Order, v.Choice)
						}
						if got != c.want || v.Outcome != judging.Decided && (v.Outcome != judging.NoVerdict || v.Choice != judging.Nobody) {
							t.Errorf("%s: %q reads as option %d (%+v), want %d %s", c.name, c.reply, got, v, c.want, c.reason)
						}
					}
				}
			}
		}
	}
}

func TestMultiOptionVerdict(t *testing.T) {
	p, s := choosing(t, "1", nil), judging.Presentation{Order: []int{2, 0, 1}}
	for reply, want := range map[string]judging.Verdict{
		"Selection: Option 02": {Outcome: judging.Decided, Label: "Option 02", Choice: 0, Rule: "selection"},
		"Option 3":             {Outcome: judging.Decided, Label: "Option 3", Choice: 1, Rule: "anywhere"},
		"Selection: Option 7":  {Outcome: judging.NoVerdict, Label: "Option 7", Choice: judging.Nobody},
		"Selection: none":      {Outcome: judging.NoVerdict, Choice: judging.Nobody},
	} {
		if got := protocoltest.Placeless(t, reply, p.Parse(s, reply, judging.Reading{})); got != want {
			t.Errorf("%q: %+v, want %+v", reply, got, want)
		}
	}
}

// Ten and more are read whole, and of many options all can be named.
func TestManyOptions(t *testing.T) {
	p := choosing(t, "1", nil)
	texts := make([]string, 20)
	item := optionsItem(texts...)
	for _, s := range p.Presentations(item) {
		for position, c := range s.Order {
			if v := p.Parse(s, "Selection: Option "+strconv.Itoa(position+1), judging.Reading{}); v.Choice != c {
				t.Errorf("presentation %d, option %d: %+v, want %d", s.Index, position+1, v, c)
			}
		}
	}
}

// Whatever a judge says, no option is chosen that was not shown, and the label
// is in the reply and names the position chosen.
func FuzzMultiOptionParse(f *testing.F) {
	for _, c := range optionReplies {
		f.Add(c.reply, 3)
	}
	for _, h := range judgingtest.Hazards {
		f.Add(h, 2)
	}
	f.Fuzz(func(t *testing.T, reply string, n int) {
		n = 1 + (n%20+20)%20
		p := choosing(t, "1", nil)
		for _, s := range p.Presentations(optionsItem(make([]string, n)...)) {
			v := protocoltest.Placeless(t, reply, p.Parse(s, reply, judging.Reading{Policy: judging.Unique}))
			switch v.Outcome {
			case judging.Decided:
				number, err := strconv.Atoi(strings.TrimPrefix(v.Label, "Option "))
				if err != nil || !strings.Contains(reply, v.Label) || number < 1 || number > n || s.Order[number-1] != v.Choice {
					t.Errorf("%q reads as %+v of %d options shown as %v", reply, v, n, s.Order)
				}
				if strings.Contains(reply, "Selection") != (v.Rule == "selection") {
					t.Errorf("%q: found by rule %q", reply, v.Rule)
				}
			case judging.NoVerdict:
				if v.Choice != judging.Nobody || v.Rule != "" || !strings.Contains(reply, v.Label) {
					t.Errorf("%q reads as %+v", reply, v)
				}
			default:
				t.Errorf("%q has outcome %q", reply, v.Outcome)
			}
		}
	})
}
