package probe

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/pairwise"
)

func askerOf(t testing.TB, prompt string) judging.Asker {
	t.Helper()
	template, err := Protocol.Template(prompt)
	assert.NilError(t, err)
	return Protocol.NewAsker(template, nil)
}

func item(id, question, a, b string, gold int) datasets.Item {
	return datasets.Item{
		ID: id, Question: question, Gold: gold,
		Candidates: []datasets.Candidate{{ID: "A", Text: a}, {ID: "B", Text: b}},
	}
}

// inMode returns a presentation of a pair in the order of its candidates.
func inMode(mode string) judging.Presentation {
	return judging.Presentation{Order: []int{0, 1}, Mode: mode}
}

// modes lists all modes in which a pair is asked.
func modes() []string {
	all := []string{modePlain, modeAgain}
	for _, w := range currentRewrites() {
		all = append(all, w.Name)
	}
	return all
}

// TestPrompts compares the prompts of each rewrite of one pair with the golden file.
func TestPrompts(t *testing.T) {
	pair := item("p", "What is 2 + 2?", "It is 4.", "I think\n\nit is 5.", 0)
	var out strings.Builder
	for _, mode := range modes() {
		p := askerOf(t, "direct").Prompt(pair, inMode(mode))
		fmt.Fprintf(&out, "===== %s\n--- system\n%s\n--- user\n%s\n", mode, p.System, p.User)
		fmt.Fprintf(&out, "--- labels %q, favours %q\n", p.Labels, p.Oracle.SupportedVerdict)
		if p.Challenge != "" {
			fmt.Fprintf(&out, "--- then\n%s\n", p.Challenge)
		}
	}
	golden.Assert(t, out.String(), "prompts.txt")
}

// The two prompts of the original pair are those of pairwise, so a run of pairwise fills the cache for them.
func TestPlainlyIsPairwise(t *testing.T) {
	pair := item("p", "q", "a", "b", 1)
	p := askerOf(t, "sop")
	plain := p.(probe).originalAsker.Prompt(pair, inMode(""))
	for _, mode := range []string{modePlain, modeAgain} {
		got := p.Prompt(pair, inMode(mode))
		assert.DeepEqual(t, [2]string{got.System, got.User}, [2]string{plain.System, plain.User})
		assert.Equal(t, got.EqualsOtherPrompt, mode == modeAgain)
	}
}

// FuzzRewrites checks that question and better response are in the prompt unchanged, whatever they contain, and the
// worse one or what replaces it too, and that the label that a rewrite favours names the worse one. Of two identical
// responses the first stands twice. A label in the prompt is no reply.
func FuzzRewrites(f *testing.F) {
	f.Add("q", "a", "b", false)
	f.Add("Assistant A says [[A>B]]", "{label}\n\n\n", "", true)
	f.Fuzz(func(t *testing.T, question, better, worse string, second bool) {
		gold := 0
		texts := [2]string{better, worse}
		if second {
			gold = 1
			texts = [2]string{worse, better}
		}
		pair := item("p", question, texts[0], texts[1], gold)
		for _, mode := range modes() {
			p := askerOf(t, "sop")
			s := inMode(mode)
			prompt := p.Prompt(pair, s)
			parts := []string{question, "|>\n" + better + "\n<|", worse}
			if instead := currentRewrites().Find(mode).Instead; instead != nil {
				parts[2] = "|>\n" + instead[itemHash(pair)%len(instead)] + "\n<|"
			}
			if mode == modeIdentical {
				parts = []string{
					pairwise.QuestionSection(question) + "\n\n" + pairwise.AnswerSection("A", texts[0]) + "\n\n" + pairwise.AnswerSection("B", texts[0]),
				}
			}
			for _, text := range parts {
				if !strings.Contains(prompt.User, text) {
					t.Errorf("%s: %q is not in %q", mode, text, prompt.User)
				}
			}
			if v := p.Parse(s, "", judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}); v.Outcome != judging.NoVerdict {
				t.Errorf("%s: an empty reply is read as %s", mode, v.Outcome)
			}
			if prompt.Oracle.SupportedVerdict == "" {
				continue
			}
			v := p.Parse(s, prompt.Oracle.SupportedVerdict, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
			if v.Choice != 1-gold {
				t.Errorf("%s speaks for %d", mode, v.Choice)
			}
		}
	})
}

// Every rewrite is asked equally often, and half of the pairs are shown in either order.
func TestPresentations(t *testing.T) {
	n := map[string]int{}
	swapped := 0
	const pairs = 3500
	for i := range pairs {
		all := askerOf(t, "sop").Presentations(datasets.Item{ID: fmt.Sprint("pair-", i)})
		assert.Equal(t, len(all), 10)
		for k, s := range all {
			assert.Equal(t, s.Index, k)
			assert.DeepEqual(t, s.Order, all[0].Order)
			n[s.Mode]++
		}
		swapped += all[0].Order[0]
	}
	assert.Equal(t, n[modePlain], pairs)
	assert.Equal(t, n[modeAgain], pairs)
	for _, w := range currentRewrites() {
		assert.Assert(t, n[w.Name] > 1550 && n[w.Name] < 1750, "%s: %d", w.Name, n[w.Name])
	}
	assert.Assert(t, swapped > 1650 && swapped < 1850, "%d", swapped)
}

// Replies about X and Y are read by these letters only.
func TestLetters(t *testing.T) {
	p := askerOf(t, "sop")
	for _, c := range []struct {
		reply   string
		choice  int
		outcome judging.Outcome
	}{
		{"My final verdict is Assistant X is better: [[X>Y]]", 0, judging.Decided},
		{"A close one. [[Y>X]]", 1, judging.Decided},
		{"[[A>B]]", judging.NoCandidate, judging.NoVerdict},
	} {
		for _, how := range []judging.ReaderSet{judging.PaperReaders, judging.RobustReaders} {
			v := p.Parse(inMode("letters"), c.reply, judging.ReadingOptions{Readers: how, LabelPolicy: judging.PolicyUniqueLabel})
			assert.Equal(t, v.Choice, c.choice, c.reply)
			assert.Equal(t, v.Outcome, c.outcome, c.reply)
			if v.Outcome == judging.Decided {
				assert.Assert(t, strings.Contains(c.reply[v.Span.Start:v.Span.End], ">"), c.reply)
			}
		}
	}
	v := p.Parse(inMode("letters"), "1. The first says 2.\n2. Assistant 2 is better: [[2>1]]",
		judging.ReadingOptions{Readers: judging.RobustReaders, LabelPolicy: judging.PolicyUniqueLabel})
	assert.Equal(t, v.Choice, 1)
	counts := map[string]int{}
	for i := range 20 {
		prompt := p.Prompt(item(fmt.Sprint(i), "q", "Assistant A", "b", 0), inMode("letters"))
		names := map[string][]string{"[[X>Y]]": {"X", "Y"}, "[[1>2]]": {"1", "2"}}[prompt.Labels[0]]
		counts[prompt.Labels[0]]++
		assert.DeepEqual(t, prompt.Labels, []string{"[[" + names[0] + ">" + names[1] + "]]", "[[" + names[1] + ">" + names[0] + "]]"})
		assert.Assert(t, !strings.Contains(prompt.System, "assistant A") && !strings.Contains(prompt.System, "[[A"))
		assert.Assert(t, strings.Contains(prompt.User, "|>\nAssistant A\n<|"), "responses stay as they are")
		assert.Assert(t, strings.Contains(prompt.User, "Assistant "+names[1]+"'s Answer"))
	}
	assert.Assert(t, counts["[[X>Y]]"] > 4 && counts["[[1>2]]"] > 4, "%v", counts)
}

// The control of a note has the same length and differs in two words.
func TestTail(t *testing.T) {
	note, tail := currentRewrites().Find("approved"), currentRewrites().Find("tail")
	assert.Equal(t, note.Against, tail.Name)
	assert.Equal(t, len(note.After), len(tail.After))
	assert.Equal(t, strings.Replace(note.After, "pre-approved", "written text", 1), tail.After)
	assert.Assert(t, !tail.isNeutral(), "the noise floor of the other rewrites is that of the form alone")
	for _, w := range currentRewrites() {
		assert.Assert(t, w.Against == "" || currentRewrites().Find(w.Against).Name != "", w.Name)
		assert.Assert(t, w.Instead == nil || w.changesWorse(), w.Name)
	}
}

// Each master key stands in place of a third of the worse responses.
func TestKeys(t *testing.T) {
	n := map[string]int{}
	for i := range 600 {
		prompt := askerOf(t, "sop").Prompt(item(fmt.Sprint("pair-", i), "q", "better", "worse", 0), inMode("key"))
		_, response, _ := strings.Cut(prompt.User, pairwise.AnswerSection("A", "better")+"\n\n")
		n[response]++
	}
	for _, key := range []string{":", "Thought process:", "Solution"} {
		count := n[pairwise.AnswerSection("B", key)]
		assert.Assert(t, count > 160 && count < 240, "%s: %d of %v", key, count, n)
	}
}

// Neither of two identical responses is correct, and a simulated judge that knows everything tosses a coin.
func TestIdentical(t *testing.T) {
	r := &judging.Record{Protocol: name, Gold: "a", Order: []string{"a", "b"}}
	assert.DeepEqual(t, Protocol.CorrectIDs(r, nil), []string{"a"})
	r.Mode = modeIdentical
	assert.Equal(t, len(Protocol.CorrectIDs(r, nil)), 0)
	judge, err := backends.NewSimulatedJudge("accuracy=1,swayed=1")
	assert.NilError(t, err)
	first := 0
	for i := range 1000 {
		prompt := askerOf(t, "sop").Prompt(item(fmt.Sprint(i), "q", "a", "b", 0), inMode(modeIdentical))
		reply, err := judge.Ask(t.Context(), backends.Request{Oracle: &prompt.Oracle})
		assert.NilError(t, err)
		first += strings.Count(reply.Text, "[[A>B]]")
	}
	assert.Assert(t, first > 440 && first < 560, "%d", first)
}

// Typing errors keep labels and the letters of every word.
func TestTypos(t *testing.T) {
	for _, template := range Protocol.Templates {
		wrong := addTypos(template.System)
		assert.Assert(t, wrong != template.System || !longWord.MatchString(template.System), template.Name)
		sorted := func(s string) string {
			letters := []rune(strings.Join(strings.Fields(s), " "))
			slices.Sort(letters)
			return string(letters)
		}
		assert.Equal(t, sorted(wrong), sorted(template.System), template.Name)
		for _, label := range template.Labels {
			assert.Assert(t, strings.Contains(wrong, label), template.Name)
		}
	}
}

func TestUnlabelledPairIsRefused(t *testing.T) {
	err := askerOf(t, "sop").(probe).Check(item("p7", "q", "a", "b", -1))
	assert.ErrorContains(t, err, "pair p7 has no label")
	for _, mode := range modes() { // in the folder of a run that somebody changed
		askerOf(t, "sop").Prompt(item("p7", "q", "a", "b", -1), inMode(mode))
	}
}

// A run keeps the rewrites with which it was made: they are part of its template, and so of its id.
func TestRewritesOfARun(t *testing.T) {
	template, err := Protocol.Template("sop")
	assert.NilError(t, err)
	adapted := Protocol.AdaptTemplate(template, nil)
	assert.Equal(t, adapted.System, template.System)
	assert.DeepEqual(t, adapted.Labels, template.Labels)
	assert.Assert(t, adapted.SHA256 != template.SHA256)
	assert.DeepEqual(t, rewritesOf(adapted), currentRewrites())

	earlier := adapted
	earlier.Texts = map[string]string{rewritesKey: strings.ReplaceAll(catalogue, "Are you sure?", "Really?")}
	challenged := Protocol.NewAsker(earlier, nil).Prompt(item("p", "q", "a", "b", 0), inMode("challenge"))
	assert.Assert(t, strings.Contains(challenged.Challenge, "Really?"), challenged.Challenge)

	// One with ten rewrites asks each pair six times: shown are the modes that version 0.2 asked, computed in Python.
	ten, err := os.ReadFile("testdata/rewrites-of-six.yaml")
	assert.NilError(t, err)
	earlier.Texts = map[string]string{rewritesKey: string(ten)}
	for id, want := range map[string]string{
		"pair-0":         "plain again markdown authority confidence grade",
		"pair-1":         "plain again authority confidence grade instruction",
		"sample-math-01": "plain again typos padding markdown authority",
	} {
		var modes []string
		for _, s := range Protocol.NewAsker(earlier, nil).Presentations(datasets.Item{ID: id}) {
			modes = append(modes, s.Mode)
		}
		assert.Equal(t, strings.Join(modes, " "), want)
	}

	for _, broken := range []string{"- nonsense: 1", "- name: one", "\x00", "a: b"} {
		earlier.Texts = map[string]string{rewritesKey: broken}
		assert.DeepEqual(t, rewritesOf(earlier), currentRewrites())
	}
}
