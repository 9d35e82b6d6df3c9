package datasets

import (
	"errors"
	"fmt"
	"strings"
)

// said is one message of a conversation.
type said struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
}

// exchange is a user's message and the assistant's answer to it.
type exchange struct{ user, assistant string }

// exchanges pairs the messages of a conversation up.
func exchanges(c []said) ([]exchange, error) {
	if len(c) == 0 {
		return nil, errors.New("a conversation is empty")
	}
	if len(c)%2 != 0 {
		return nil, errors.New("a conversation does not end with an answer")
	}
	out := make([]exchange, 0, len(c)/2)
	for i := 0; i < len(c); i += 2 {
		user, assistant := c[i], c[i+1]
		if user.Role != "user" || assistant.Role != "assistant" {
			return nil, fmt.Errorf("messages %d and %d of a conversation are not of user and assistant", i+1, i+2)
		}
		if user.Content == nil || assistant.Content == nil {
			return nil, fmt.Errorf("message %d or %d of a conversation has no content", i+1, i+2)
		}
		out = append(out, exchange{*user.Content, *assistant.Content})
	}
	return out, nil
}

// render writes two conversations with the same user as a question and two responses. Of one turn, they are the texts
// as they stand. Of more, the question is all that the user said and a response all that the assistant answered, each
// turn under a line that numbers it:
//
//	[Turn 1]
//	Write a haiku.
//
//	[Turn 2]
//	Now without the letter e.
//
// The numbers are the same on both sides, so that it is plain which answer is to
// which message. Nothing in the texts is changed or escaped.
func render(a, b []exchange) (question, first, second string, err error) {
	if len(a) != len(b) {
		return "", "", "", fmt.Errorf("the conversations have %d and %d turns", len(a), len(b))
	}
	var q, x, y []string
	for i := range a {
		if a[i].user != b[i].user {
			return "", "", "", fmt.Errorf("in turn %d the user says something else to each model", i+1)
		}
		q = append(q, a[i].user)
		x = append(x, a[i].assistant)
		y = append(y, b[i].assistant)
	}
	return turns(q), turns(x), turns(y), nil
}

func turns(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	numbered := make([]string, len(texts))
	for i, t := range texts {
		numbered[i] = fmt.Sprintf("[Turn %d]\n%s", i+1, t)
	}
	return strings.Join(numbered, "\n\n")
}
