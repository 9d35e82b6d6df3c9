package backends

import (
	"strings"
	"testing"
)

func TestSplitThinking(t *testing.T) {
	for name, tc := range map[string]struct{ reply, text, thinking, reason string }{
		"no tags":               {"[[A>B]]", "[[A>B]]", "", ""},
		"empty":                 {"", "", "", ""},
		"one thought":           {"<think>\nhm\n</think>\n\n[[A>B]]", "\n\n[[A>B]]", "\nhm\n", ""},
		"two thoughts":          {"<think>a</think>b<think>c</think>d", "bd", "ac", ""},
		"text before":           {"Well. <think>a</think>b", "Well. b", "a", ""},
		"no start":              {"a [[B>A]]</think>[[A>B]]", "[[A>B]]", "a [[B>A]]", "the template put the start into the prompt"},
		"no start, then one":    {"a</think>b<think>c</think>d", "bd", "ac", ""},
		"no end":                {"b<think>a [[A>B]]", "b", "a [[A>B]]", "cut while it was thinking"},
		"start twice":           {"<think>\n<think>a</think>b", "b", "\n<think>a", "the template's start and the model's own"},
		"end twice":             {"<think>a</think></think>b", "</think>b", "a", "what follows the first end is the reply"},
		"speaks of the tag":     {"<think>a <think> b</think>[[A>B]]", "[[A>B]]", "a <think> b", "not nested: counting would lose the verdict"},
		"harmony, plain, cut":   {"analysisWe compare. A is good so [[A>B]]. But wait", "", "We compare. A is good so [[A>B]]. But wait", ""},
		"speaks of analysis":    {"analysis: [[A>B]]", "analysis: [[A>B]]", "", ""},
		"quotes the tag":        {"B leaks its `<think>` block: [[A>B]]", "B leaks its `<think>` block: [[A>B]]", "", ""},
		"quotes the end":        {"[[A>B]]. B left a stray \"</think>\" behind.", "[[A>B]]. B left a stray \"</think>\" behind.", "", ""},
		"thinks of the end":     {"<think>they close it with `</think>`, hm</think>[[A>B]]", "[[A>B]]", "they close it with `</think>`, hm", ""},
		"only a start":          {"<think>", "", "", ""},
		"only an end":           {"</think>", "", "", ""},
		"the long word":         {"<thinking>a</thinking>b", "b", "a", ""},
		"EXAONE":                {"<thought>\na [[A>B]]\n</thought>\n\n[[B>A]]", "\n\n[[B>A]]", "\na [[A>B]]\n", ""},
		"Magistral":             {"[THINK]a [[A>B]][/THINK][[B>A]]", "[[B>A]]", "a [[A>B]]", ""},
		"Magistral, no start":   {"a [[A>B]][/THINK][[B>A]]", "[[B>A]]", "a [[A>B]]", ""},
		"Kimi":                  {"◁think▷a◁/think▷b", "b", "a", ""},
		"Kimi, cut":             {"◁think▷a [[A>B]]", "", "a [[A>B]]", ""},
		"Kimi K3":               {"a<|close|>think<|sep|><|open|>response<|sep|>b", "<|open|>response<|sep|>b", "a", "its template opens the thinking in the prompt"},
		"Seed":                  {"<seed:think>a</seed:think>b", "b", "a", ""},
		"Command A":             {"<|START_THINKING|>a<|END_THINKING|>b", "b", "a", ""},
		"Command A, its answer": {"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a", ""},
		"Command A, cut":        {"<|START_RESPONSE|>b", "b", "", ""},
		"speaks of the marks":   {"b <|START_RESPONSE|> c", "b <|START_RESPONSE|> c", "", ""},
		"harmony, with a type":  {"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final <|constrain|>JSON<|message|>[[B>A]]<|return|>", "[[B>A]]", "a", ""},
		"harmony, marks alone":  {"<|channel|>final<|constrain|>json<|message|>[[B>A]]", "[[B>A]]", "", ""},
		"harmony, finally":      {"<|channel|>finally<|message|>b", "", "b", "another channel"},
		"Gemma 4":               {"<|channel>thought\na<channel|>b", "b", "\na", ""},
		"GLM":                   {"\n<think>a</think>\nb", "\n\nb", "a", ""},
		"two models' tags":      {"<think>a</think><thinking>b</thinking>c", "c", "ab", ""},
		"harmony":               {"<|channel|>analysis<|message|>a [[A>B]]<|end|><|start|>assistant<|channel|>final<|message|>[[B>A]]<|return|>", "[[B>A]]", "a [[A>B]]", ""},
		"harmony, its start":    {"<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "b", "a", ""},
		"harmony, commentary":   {"<|channel|>commentary<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|end|>", "b", "a", ""},
		"harmony, without end":  {"<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "b", "a", ""},
		"harmony, cut":          {"<|channel|>analysis<|message|>a [[A>B]]", "", "a [[A>B]]", "it never came to an answer"},
		"harmony without marks": {"analysisWe compare. [[A>B]]assistantfinalB is right. [[B>A]]", "B is right. [[B>A]]", "We compare. [[A>B]]", "a server that drops special tokens"},
		"analysis, the word":    {"analysis of A: it is right. [[A>B]]", "analysis of A: it is right. [[A>B]]", "", ""},
		"speaks of channels":    {"The mark <|channel|> is harmony's.", "The mark <|channel|> is harmony's.", "", ""},
		"other tags":            {"<reflection>a</reflection>b", "<reflection>a</reflection>b", "", "no template has it"},
		"upper case":            {"<THINK>a</THINK>b", "<THINK>a</THINK>b", "", ""},
		"half a tag":            {"<thin k>a</thin", "<thin k>a</thin", "", ""},
		"a tag by its removal":  {"<th<think>a</think>ink>b</think>c", "c", "ab", "no pair of tags is left, however it came about"},
	} {
		t.Run(name, func(t *testing.T) {
			text, thinking := SplitThinking(tc.reply)
			if text != tc.text || thinking != tc.thinking {
				t.Errorf("text %q, thinking %q; want %q, %q %s", text, thinking, tc.text, tc.thinking, tc.reason)
			}
		})
	}
}

// Were the time quadratic, this would not end.
func TestHalfAMillionThoughts(t *testing.T) {
	if text, _ := SplitThinking(strings.Repeat("<think></think>", 1<<19)); text != "" {
		t.Errorf("%d bytes left", len(text))
	}
}

// Likewise tags that are put together, one out of the removal of the other.
func TestNestedThoughts(t *testing.T) {
	for _, depth := range []int{3, deepestThought - 1, 1 << 16} {
		reply := "a" + strings.Repeat("<th", depth) + "<think>b</think>" + strings.Repeat("ink>c</think>", depth) + "d"
		text, thinking := SplitThinking(reply)
		if wanted := depth < deepestThought; strings.Contains(text, "<think>") || wanted && (text != "ad" || strings.Count(thinking, "c") != depth) {
			t.Errorf("%d deep: %.50q, thinking %.50q", depth, text, thinking)
		}
	}
}

func TestJoinThinking(t *testing.T) {
	for want, parts := range map[string][]string{
		"":      {"", "\n"},
		"a":     {"", "a", ""},
		"a\nb":  {"a", "b"},
		" a ":   {" a ", " a "},
		"a\n a": {"a", " a"},
	} {
		if got := joinThinking(parts...); got != want {
			t.Errorf("joinThinking(%q) = %q, want %q", parts, got, want)
		}
	}
}
