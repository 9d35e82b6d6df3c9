package pairwise

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/protocols/protocoltest"
)

func TestTemplateFile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		labels     []string // nil: refused
		err        string
	}{
		{"both labels", "Which? [[A>B]] or [[B>A]]\n", []string{"A>B", "B>A"}, ""},
		{"a tie too", "[[A=B]] [[B>A]] [[A>B]]", []string{"A=B", "B>A", "A>B"}, ""},
		{"each once", "[[A>B]] [[B>A]], for example [[A>B]]", []string{"A>B", "B>A"}, ""},
		{"by other forms", "[[A>>B]] [[A<B]]", []string{"A>>B", "A<B"}, ""},
		{"a label missing", "Which? [[A>B]]", nil, "offers no [[B>A]]"},
		{"the other missing", "Which? [[B>A]] [[A=B]]", nil, "offers no [[A>B]]"},
		{"no labels", "Which is better?", nil, "offers no [[A>B]]"},
		{"empty", "", nil, "offers no [[A>B]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mine.txt")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			tpl, err := Protocol.ReadTemplateFile(path)
			if c.labels == nil {
				if err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), path) {
					t.Errorf("error %v, want one that names the file and %q", err, c.err)
				}
				return
			}
			if err != nil || !slices.Equal(tpl.Labels, c.labels) || tpl.System != strings.TrimSuffix(c.text, "\n") || tpl.Name != path {
				t.Errorf("%+v, %v", tpl, err)
			}
		})
	}
	if _, err := Protocol.ReadTemplateFile(filepath.Join(t.TempDir(), "none.txt")); err == nil {
		t.Error("a file that is not there is no error")
	}
}

// A user's prompt may offer labels that do not compare two responses. These are no verdicts, and a tie is one only if
// it is offered.
func TestTemplateFileDecidesWhatIsOffered(t *testing.T) {
	p := Protocol.NewAsker(newTemplate("mine", "file", "[[A>B]] [[B>A]] [[A]]"), nil)
	s := judging.Presentation{Index: 1, Order: []int{1, 0}}
	for reply, want := range map[string]judging.Verdict{
		"[[A>B]]": {Outcome: judging.Decided, Label: "A>B", Choice: 1},
		"[[A]]":   {Outcome: judging.NoVerdict, Label: "A", Choice: judging.NoCandidate},
		"[[A=B]]": {Outcome: judging.NoVerdict, Label: "A=B", Choice: judging.NoCandidate},
	} {
		if got := protocoltest.DropVerdictSpan(t, reply, p.Parse(s, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})); got != want {
			t.Errorf("%s: %+v, want %+v", reply, got, want)
		}
	}
}

func TestEmbeddedTemplates(t *testing.T) {
	two, five := []string{"A>B", "B>A"}, []string{"A=B", "A>>B", "A>B", "B>>A", "B>A"}
	for _, protocol := range comparisons {
		if protocol.Templates[0].Name != "sop" {
			t.Errorf("%s: the first prompt, the default, is %s", protocol.Name, protocol.Templates[0].Name)
		}
		for _, tpl := range protocol.Templates {
			want := two
			if tpl.Name == "arena-hard" {
				want = five
			}
			if got := slices.Sorted(slices.Values(tpl.Labels)); !slices.Equal(got, want) {
				t.Errorf("%s/%s offers %v, want %v", protocol.Name, tpl.Name, got, want)
			}
			sum := sha256.Sum256([]byte(tpl.System))
			if tpl.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("%s/%s: its SHA-256 is another", protocol.Name, tpl.Name)
			}
			if strings.HasSuffix(tpl.System, "\n") || strings.Contains(tpl.System, "\r") || strings.Contains(tpl.System, "**") {
				t.Errorf("%s/%s has a final newline, a carriage return or bold type", protocol.Name, tpl.Name)
			}
			if tpl.Origin == "" {
				t.Errorf("%s/%s does not say where it is from", protocol.Name, tpl.Name)
			}
		}
	}
}
