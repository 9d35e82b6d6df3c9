package datasets

import (
	"errors"
	"fmt"
	"strings"
)

// utterance is one message of a conversation.
type utterance struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
}

// checkConversation returns an error if the conversation is empty or does not alternate between user and assistant.
func checkConversation(c []utterance) error {
	if len(c) == 0 {
		return errors.New("a conversation is empty")
	}
	if len(c)%2 != 0 {
		return errors.New("a conversation does not end with an answer")
	}
	for i := 0; i < len(c); i += 2 {
		if c[i].Role != "user" || c[i+1].Role != "assistant" {
			return fmt.Errorf("messages %d and %d of a conversation do not come from user and assistant", i+1, i+2)
		}
		if c[i].Content == nil || c[i+1].Content == nil {
			return fmt.Errorf("message %d or %d of a conversation has no content", i+1, i+2)
		}
	}
	return nil
}

// renderConversations returns two conversations with the same user as a question and two responses. With one turn,
// these are the plain texts. With more, the question joins the user's messages and a response the assistant's, each
// turn after a line with its number:
//
//	[Turn 1]
//	Write a haiku.
//
//	[Turn 2]
//	Now without the letter e.
//
// The numbers show which answer belongs to which message. The texts themselves are not changed or escaped.
func renderConversations(a, b []utterance) (question, first, second string, err error) {
	if len(a) != len(b) {
		return "", "", "", fmt.Errorf("the conversations have %d and %d turns", len(a)/2, len(b)/2)
	}
	var q, x, y []string
	for i := 0; i < len(a); i += 2 {
		if *a[i].Content != *b[i].Content {
			return "", "", "", fmt.Errorf("the user's messages differ in turn %d", i/2+1)
		}
		q = append(q, *a[i].Content)
		x = append(x, *a[i+1].Content)
		y = append(y, *b[i+1].Content)
	}
	return joinTurns(q), joinTurns(x), joinTurns(y), nil
}

// joinTurns joins the texts of several turns, each after a line with its number. A single text stays as it is.
func joinTurns(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	numbered := make([]string, len(texts))
	for i, t := range texts {
		numbered[i] = fmt.Sprintf("[Turn %d]\n%s", i+1, t)
	}
	return strings.Join(numbered, "\n\n")
}
