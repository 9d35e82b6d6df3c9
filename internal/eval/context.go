package eval

import (
	"net/url"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring"
)

// modelAt names a model at its servers, however both are written.
func modelAt(urls []string, model string) string {
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

// end removes what was made for a dry run.
func (s *stages) end() {
	if s.remove != nil {
		s.remove()
	}
}

// longestStaged bounds the prompts of judgments by the answers that were there
// before the suite, and by --max-tokens for each that the suite asks for.
func (w *work) longestStaged(s *stages, asker judging.Asker) (int, error) {
	defer s.end()
	params := s.opts.CallParameters()
	if params.Constrain {
		params.MaxTokens += 32 // bytes, which are tokens at most, of the label in a line of its own
	}
	toCome := judging.Unanswered("(to come)", s.questions.set, params.MaxTokens)
	read := func(run string) (*judging.Answers, error) {
		if run == "" {
			return toCome, nil
		}
		return judging.ReadAnswers(run, scoring.DefaultOptions.Reading)
	}
	own, err := read(s.opts.Own)
	if err != nil {
		return 0, err
	}
	var agents []*judging.Answers
	for _, a := range s.opts.Agents {
		run, err := w.given(s, a)
		if err != nil {
			return 0, err
		}
		answers, err := read(run)
		if err != nil {
			return 0, err
		}
		if !slices.Contains(agents, answers) { // one stands for all that are to come
			agents = append(agents, answers)
		}
	}
	return s.stage.Longest(asker, s.questions.set, own, agents)
}
