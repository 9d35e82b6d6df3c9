package suite

import (
	"cmp"
	"slices"
	"sync"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// contexts gives the runs of a suite the context that they ask Ollama for. Ollama loads a model anew for every other
// one, so that all runs that ask a model get the same: what the largest of them needs. What a run was given stands in
// suite.json before the run is opened, and stays: with another it would be another run. Runs whose num-ctx is set by
// hand are left alone.
type contexts struct {
	suite *Suite
	given scoring.Contexts
	needs func() map[string]int // see Suite.needs
	plan  bool                  // what is given is forgotten
}

// newContexts goes on from what suite.json says, if it is there.
func newContexts(s *Suite, e *eval.Maker) *contexts {
	c := &contexts{suite: s, given: scoring.Contexts{}, needs: sync.OnceValue(func() map[string]int { return s.needs(e) })}
	if file, err := scoring.ReadSuite(s.Out); err == nil && file.NumCtx != nil {
		c.given = file.NumCtx
	}
	return c
}

// of is the context of a run whose spec, but for that, is known. One whose folder
// is there has that of its folder, also where it was set by hand once.
func (c *contexts) of(o eval.Request, spec judging.Spec, trained int) (int, error) {
	given, id := c.ofRuns(spec.Model), judging.NewManifest("", spec).ID
	n := cmp.Or(begun(o.Out), given[id])
	if n > 0 {
		return n, nil
	}
	n = c.ofModel(o, spec.Model, trained)
	given[id] = n
	if c.plan {
		return n, nil
	}
	err := c.suite.write(c.given)
	if err != nil {
		delete(given, id)
	}
	return n, err
}

// ofModel is that of all runs that ask one model and were given none before.
func (c *contexts) ofModel(o eval.Request, model judging.ModelSpec, trained int) int {
	n := c.needs()[o.AllModels()[0]]
	for _, had := range c.ofRuns(model) {
		n = max(n, had)
	}
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}

// following is that of judgments whose dataset is not there yet; 0 where the server is not told any.
func (c *contexts) following(later *eval.Later) int {
	o := later.Request
	if !eval.SetsContext(later.Judges) {
		return 0
	}
	return cmp.Or(o.NumCtx, begun(o.Out),
		c.ofModel(o, eval.ModelSpec(later.Judges), eval.JointModel(later.Judges).Trained))
}

// ofRuns are those that a model's runs were given.
func (c *contexts) ofRuns(model judging.ModelSpec) map[string]int {
	name := model.Name + " " + model.Identity
	if c.given[name] == nil {
		c.given[name] = map[string]int{}
	}
	return c.given[name]
}

// begun is the context of the run in a folder; 0 where there is none.
func begun(dir string) int {
	m, err := judging.ReadManifest(dir)
	if dir == "" || err != nil {
		return 0
	}
	return m.Spec.Parameters.NumCtx
}

// needs is the most that any cell needs of each model. A cell that cannot be told
// needs nothing: it says itself what is wrong with it.
func (s *Suite) needs(e *eval.Maker) map[string]int {
	most, known := map[string]int{}, map[string]eval.Needs{}
	for _, c := range s.Cells {
		if c.Request.NumCtx > 0 {
			continue
		}
		key := c.Request.QuestionsKey()
		need, ok := known[key]
		if !ok {
			need, _ = e.Needs(c.Request)
			known[key] = need
		}
		for i, who := range c.Request.AllModels() {
			most[who] = max(most[who], need.Answers)
			if i == 0 { // the judge
				most[who] = max(most[who], need.Judge)
			}
		}
	}
	return most
}

// load adds a context to those that a model is loaded for.
func (a *amounts) load(n int) {
	if n > 0 && !slices.Contains(a.NumCtx, n) {
		a.NumCtx = append(a.NumCtx, n)
		slices.Sort(a.NumCtx)
	}
}
