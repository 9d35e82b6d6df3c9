package eval

import (
	"net/url"
	"os"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// asked names a model at its servers, however both are written.
func asked(urls []string, model string) string {
	var at []string
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil {
			text = sameURL(u)
		}
		at = append(at, text)
	}
	slices.Sort(at)
	return strings.TrimSuffix(model, ":latest") + "@" + strings.Join(at, ",")
}

// before tells whether there are stages before the judgments.
func (s *stages) before(kind judging.Kind) (bool, error) {
	if s.opts.Options.Get(judging.ReferenceOption) == "true" {
		answered, err := answeredPairs(s.questions)
		return !answered, err
	}
	if !kind.Takes(datasets.Judgment) {
		return false, nil
	}
	return stagesOf(s.opts, s.questions)
}

// needOfAnswers is the context that answers to the questions need.
func (s *stages) needOfAnswers() (int, error) {
	o := s.answerOptions()
	q, err := ask(o, s.questions)
	if err != nil {
		return 0, err
	}
	return sizeContext(q.kind, o.Parameters(), judging.LongestPrompt(q.kind.New(q.template, nil), s.questions.set), 0), nil
}

// longestStaged bounds the prompts of judgments by the answers that were there
// before the suite, and by --max-tokens for each that the suite asks for.
func (w *work) longestStaged(s *stages, protocol judging.Protocol) (int, error) {
	defer func() { os.RemoveAll(s.passing) }()
	set := s.questions.set
	toCome := judging.Unanswered("(to come)", set, s.opts.mostOfAnswer())
	own, agents := toCome, []*judging.Answers(nil)
	if s.opts.Own != "" {
		var err error
		if own, err = judging.ReadAnswers(s.opts.Own, scoring.DefaultOptions.Reading); err != nil {
			return 0, err
		}
	}
	if len(s.opts.Agents) == 0 {
		return judging.LongestReferenced(protocol, set, own)
	}
	for _, a := range s.opts.Agents {
		answers, err := w.givenBy(s, a)
		if err != nil {
			return 0, err
		}
		if answers == nil { // one stands for all of them
			answers = toCome
		}
		if !slices.Contains(agents, answers) {
			agents = append(agents, answers)
		}
	}
	return judging.LongestJudgment(protocol, set, own, agents)
}

// givenBy reads an agent's answers; nil where they are to be asked for.
func (w *work) givenBy(s *stages, agent string) (*judging.Answers, error) {
	info, err := os.Stat(agent)
	if err != nil {
		return nil, nil
	}
	if !info.IsDir() {
		if agent, err = w.importAgent(s, agent); err != nil {
			return nil, err
		}
	}
	return judging.ReadAnswers(agent, scoring.DefaultOptions.Reading)
}

// mostOfAnswer is how many tokens an answer has at most: a reply, and with
// --constrain the label in a line of its own.
func (o Request) mostOfAnswer() int {
	const label = 32 // bytes, which are tokens at most
	if o.Parameters().Constrain {
		return o.Parameters().MaxTokens + label
	}
	return o.Parameters().MaxTokens
}
