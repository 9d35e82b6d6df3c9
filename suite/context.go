package suite

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/eval"
	"gavel/judging"
)

// contexts chooses the context that a suite's runs ask Ollama for. Ollama
// loads a model anew for every other one, so that all runs that ask a model have
// the same: what the largest of them needs. It follows from the file, the
// datasets and the runs that were there before, and from nothing that the suite
// itself comes to know on its way: so the plan, the run, and the run that goes on
// after a crash have the same. Runs whose num-ctx is set by hand are left alone.
type contexts struct {
	suite *Suite
	maker *eval.Maker
	needs map[string]int        // of a model, see asked
	cells map[string]eval.Needs // by what is asked, whoever is
	read  bool                  // what was in the suite's folder: the two below
	had   map[judging.ModelSpec][]int
	same  map[string][]int // of runs that differ in nothing else
}

func newContexts(s *Suite, e *eval.Maker) *contexts {
	return &contexts{suite: s, maker: e, needs: map[string]int{}, cells: map[string]eval.Needs{}, had: map[judging.ModelSpec][]int{}, same: map[string][]int{}}
}

// of is the context of a run whose spec, but for that, is known. One that has
// begun keeps its own, since with another it would be another run: that in the
// run's folder or, where the folder is named after what the run is, that of a run
// which differs in nothing else.
func (c *contexts) of(o eval.Request, spec judging.Spec, trained int) int {
	c.look()
	all := c.ofModel(o, spec.Model, trained)
	if n := begunContext(o.Out); n > 0 {
		return n
	}
	if same := c.chosen(o, c.same[withoutContext(spec)]); len(same) > 0 {
		return slices.Max(same)
	}
	return all
}

// begunContext is that of the run in a folder; 0 where there is none.
func begunContext(dir string) int {
	if dir == "" {
		return 0
	}
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return 0
	}
	return m.Spec.Parameters.NumCtx
}

// ofModel is that of all runs that ask one model and have not begun.
func (c *contexts) ofModel(o eval.Request, model judging.ModelSpec, trained int) int {
	c.look()
	n := slices.Max(append(c.chosen(o, c.had[model]), c.need(eval.Asked(o.BaseURLs, o.Model))))
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}

// following is that of judgments whose dataset is not there yet; 0 where the
// server is not told any.
func (c *contexts) following(later *eval.Later) int {
	if later.Judges[0].Server.Kind != "ollama" {
		return 0
	}
	if n := cmp.Or(later.Request.NumCtx, begunContext(later.Request.Out)); n > 0 {
		return n
	}
	return c.ofModel(later.Request, eval.ModelSpec(later.Judges), eval.JointModel(later.Judges).Trained)
}

// load adds a context to those that a model is loaded for.
func (a *amounts) load(n int) {
	if n > 0 && !slices.Contains(a.NumCtx, n) {
		a.NumCtx = append(a.NumCtx, n)
		slices.Sort(a.NumCtx)
	}
}

func (a amounts) numCtx() string {
	var list []string
	for _, n := range a.NumCtx {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, " ")
}

// chosen leaves out what a cell of the same model has set by hand.
func (c *contexts) chosen(o eval.Request, contexts []int) []int {
	return slices.DeleteFunc(slices.Clone(contexts), func(n int) bool {
		return slices.ContainsFunc(c.suite.Cells, func(cell *Cell) bool {
			return cell.Request.NumCtx == n && cell.Request.Asks(eval.Asked(o.BaseURLs, o.Model))
		})
	})
}

// look reads what runs the suite's folder has, the first time somebody wants to
// know: those that come later have been given their context here.
func (c *contexts) look() {
	if c.read {
		return
	}
	c.read = true
	dir := filepath.Dir(filepath.Clean(c.suite.Cells[0].Request.Out))
	entries, _ := os.ReadDir(dir) // there is none before the suite has begun
	for _, entry := range entries {
		m, err := judging.ReadManifest(filepath.Join(dir, entry.Name()))
		if err != nil || m.Spec.Parameters.NumCtx == 0 {
			continue
		}
		n, id := m.Spec.Parameters.NumCtx, withoutContext(m.Spec)
		c.had[m.Spec.Model], c.same[id] = append(c.had[m.Spec.Model], n), append(c.same[id], n)
	}
}

// withoutContext names a run's spec, whatever its context.
func withoutContext(s judging.Spec) string {
	s.Parameters.NumCtx = 0
	return judging.NewManifest("", s).ID
}

// need is the most that any cell needs of a model. A cell that cannot be told
// needs nothing: it says itself what is wrong with it.
func (c *contexts) need(who string) int {
	if n, known := c.needs[who]; known {
		return n
	}
	n := 0
	for _, cell := range c.suite.Cells {
		o := cell.Request
		if o.NumCtx > 0 || !o.Asks(who) {
			continue
		}
		needs := c.cell(o)
		if n = max(n, needs.Answers); eval.Asked(o.BaseURLs, o.Model) == who {
			n = max(n, needs.Judge)
		}
	}
	c.needs[who] = n
	return n
}

// cell is what a cell needs, worked out once for all judges.
func (c *contexts) cell(o eval.Request) eval.Needs {
	key := o.Apart()
	if n, known := c.cells[key]; known {
		return n
	}
	n, err := c.maker.Needs(o)
	if err != nil {
		n = eval.Needs{}
	}
	c.cells[key] = n
	return n
}
