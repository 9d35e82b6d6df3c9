package protocols_test

import (
	"slices"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/protocols"
)

// The listed protocols are registered in their order, and each has all texts that people read.
func TestAllAreRegistered(t *testing.T) {
	var want []string
	for _, p := range protocols.All {
		want = append(want, p.Name)
		for name, text := range map[string]string{"About": p.About, "Help": p.Help, "Items": p.ItemsNoun, "Goal": p.Goal} {
			if text == "" {
				t.Errorf("%s has no %s", p.Name, name)
			}
		}
		if !strings.Contains(p.Help, "gavel run") {
			t.Errorf("%s: its help shows no command", p.Name)
		}
		if len(p.Templates) == 0 || len(p.Shapes) == 0 || p.NewAsker(p.Templates[0], nil).Name() != p.Name {
			t.Errorf("%s: templates %v, shapes %v, another name", p.Name, p.TemplateNames(), p.Shapes)
		}
	}
	if got := judging.ProtocolNames(judging.Protocols()); !slices.Equal(got, want) || !judging.AnswerProtocol().AnswersQuestions {
		t.Errorf("registered %q, want %q", got, want)
	}
}
