package pairwise

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
)

func TestPromptGolden(t *testing.T) {
	item := judgingtest.PairItem("p1", 0)
	for _, protocol := range comparisons {
		for _, tpl := range protocol.Templates {
			t.Run(protocol.Name+"/"+tpl.Name, func(t *testing.T) {
				p := protocol.NewAsker(tpl, nil)
				var b bytes.Buffer
				for i, s := range p.Presentations(item) {
					prompt := p.Prompt(item, s)
					if i == 0 {
						fmt.Fprintf(&b, "--- system\n%s\n", prompt.System)
					} else if prompt.System != tpl.System {
						t.Errorf("the system message is another in presentation %d", i)
					}
					fmt.Fprintf(&b, "--- user, presentation %d\n%s\n", i, prompt.User)
				}
				fmt.Fprintf(&b, "--- follow-up\n%s\n", p.Prompt(item, p.Presentations(item)[0]).FollowUp)
				golden.AssertBytes(t, b.Bytes(), "prompts/"+protocol.Name+"-"+tpl.Name+".golden")
			})
		}
	}
}

// turnGoal converts a reversed prompt to the other goal: the word and the labels.
var turnGoal = strings.NewReplacer("worse", "better",
	"[[A>B]]", "[[B>A]]", "[[B>A]]", "[[A>B]]", "[[A>>B]]", "[[B>>A]]", "[[B>>A]]", "[[A>>B]]")

func TestForwardAndReversedDifferInTheGoalAlone(t *testing.T) {
	if f, r := labelled(Protocol).TemplateNames(), Reversed.TemplateNames(); !slices.Equal(f, r) {
		t.Fatalf("prompts of the two goals: %v and %v", f, r)
	}
	item := judgingtest.PairItem("p1", 0)
	for i, name := range Reversed.TemplateNames() {
		t.Run(name, func(t *testing.T) {
			forward, reversed := Protocol.NewAsker(Protocol.Templates[i], nil), Reversed.NewAsker(Reversed.Templates[i], nil)
			for _, s := range forward.Presentations(item) {
				f, r := forward.Prompt(item, s), reversed.Prompt(item, s)
				if got := turnGoal.Replace(r.System); got != f.System {
					t.Errorf("the reversed prompt with its goal turned is\n%s\nthe forward prompt is\n%s", got, f.System)
				}
				if f.User != r.User || f.FollowUp != r.FollowUp {
					t.Error("user message or follow-up differ")
				}
			}
			if n := occurrences(forward.Prompt(item, judging.Presentation{Index: 0, Order: []int{0, 1}}).System, "wors", "best"); n != 0 {
				t.Errorf("the forward prompt speaks of the worse %d times", n)
			}
			if n := occurrences(reversed.Prompt(item, judging.Presentation{Index: 0, Order: []int{0, 1}}).System, "better", "best"); n != 0 {
				t.Errorf("the reversed prompt speaks of the better %d times", n)
			}
		})
	}
}

func occurrences(text string, words ...string) int {
	n := 0
	for _, w := range words {
		n += strings.Count(strings.ToLower(text), w)
	}
	return n
}

func TestReversedIsThePapersText(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/papers/grp.txt")
	if err != nil {
		t.Skip("the paper's text is not on this machine")
	}
	for name, heading := range map[string]string{
		"direct": "Directly Prompting", "cot": "CoT Prompting", "sop": "Goal-Reversed Prompting",
	} {
		t.Run(name, func(t *testing.T) {
			_, after, ok := strings.Cut(string(raw), "**"+heading+"**\n\n---\n")
			if !ok {
				t.Fatalf("no heading %q", heading)
			}
			text, _, _ := strings.Cut(after, "\n---\n")
			want := judgingtest.CollapseSpaces(strings.ReplaceAll(text, "**worse**", "worse")) // bold type, not part of the prompt
			tpl, err := Reversed.Template(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := judgingtest.CollapseSpaces(tpl.System); got != want {
				t.Errorf("got\n%s\nthe paper has\n%s", got, want)
			}
		})
	}
}

// The messages of the official harness, by their hash.
func TestUserMessagesOfTheClaudeFile(t *testing.T) {
	set, err := datasets.OpenFile(judgingtest.SkipWithoutFile(t, claudePairs))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for _, protocol := range comparisons {
		for _, tpl := range protocol.Templates {
			p := protocol.NewAsker(tpl, nil)
			var messages []string
			for i := range set.Len() {
				item, err := set.Item(i)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range p.Presentations(item) {
					messages = append(messages, p.Prompt(item, s).User)
				}
			}
			sum := sha256.Sum256([]byte(strings.Join(messages, "\x00")))
			const want = "2efcbc9306b542aab73b67d249175c7de455c7df50d9117511f60f202ddf6149"
			if got := hex.EncodeToString(sum[:]); len(messages) != 540 || got != want {
				t.Errorf("%s/%s: %d messages with SHA-256 %s", protocol.Name, tpl.Name, len(messages), got)
			}
		}
	}
}

func TestCandidateTextIsData(t *testing.T) {
	const q, a, b = "QQQ", "AAA", "BBB"
	fill := func(question, first, second string) datasets.Item {
		item := judgingtest.PairItem("p1", 0)
		item.Question, item.Candidates[0].Text, item.Candidates[1].Text = question, first, second
		return item
	}
	for _, protocol := range comparisons {
		for _, tpl := range protocol.Templates {
			p := protocol.NewAsker(tpl, nil)
			for _, s := range p.Presentations(fill(q, a, b)) {
				plain := p.Prompt(fill(q, a, b), s)
				frame := regexp.MustCompile("QQQ|AAA|BBB").Split(plain.User, -1)
				if len(frame) != 4 {
					t.Fatalf("%s/%s: %d texts in the user message", protocol.Name, tpl.Name, len(frame)-1)
				}
				for name, h := range judgingtest.TemplateHazards {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", protocol.Name, tpl.Name, s.Index, name), func(t *testing.T) {
						texts := []string{h + "1", h + "2"} // told apart
						got := p.Prompt(fill(h, texts[0], texts[1]), s)
						want := frame[0] + h + frame[1] + texts[s.Order[0]] + frame[2] + texts[s.Order[1]] + frame[3]
						if got.User != want {
							t.Errorf("got\n%q\nwant\n%q", got.User, want)
						}
						if got.System != plain.System || got.FollowUp != plain.FollowUp {
							t.Error("the text of an answer changed what stands outside of it")
						}
					})
				}
			}
		}
	}
}
