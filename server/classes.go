package server

import (
	"gavel/judging"
	"gavel/server/store"
)

// inWords says a filter's name to people.
func inWords(name string) string {
	if s := store.FilterNamed(name); s != nil {
		return s.Words
	}
	return name
}

// Mark is a judgment in a strip: a sign, and the words for who does not see it.
type Mark struct{ Kind, Sign, Words string }

// Mark of a judgment.
func (b JudgmentBrief) Mark() Mark {
	switch {
	case b.Right != nil && *b.Right:
		return Mark{"right", "✓", "right"}
	case b.Outcome == string(judging.Tie):
		return Mark{"tie", "=", "tie"}
	case b.Outcome != string(judging.Decided):
		return Mark{"open", "–", b.Outcome}
	case b.Right != nil:
		return Mark{"wrong", "✗", "wrong"}
	}
	return Mark{"unlabelled", "•", "names " + b.Choice}
}
