package checks

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gavel/internal/eval"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/suite"
	"gavel/judging"
	"gavel/scoring"
)

// Verdict says whether the judge meets a requirement, or all of them.
type Verdict string

// Values of Verdict.
const (
	Met       Verdict = "met"
	Missed    Verdict = "missed"
	Undecided Verdict = "undecided"
)

// replyReadingRules holds the rules by which replies are read.
var replyReadingRules = scoring.DefaultOptions.Reading

// alpha bounds the probability that a check decides any of its requirements wrongly.
const alpha = 0.05

// Requirement holds a requirement and the decision on it.
type Requirement struct {
	Name            string         `json:"name"`     // as in the file: a metric, or `same as`
	RequirementText string         `json:"required"` // as in the file
	Verdict         Verdict        `json:"verdict"`  // `met`, `missed` or `undecided`
	Found           scoring.Result `json:"found"`    // when it was decided, or else at the end; its interval decides
	JudgedItems     int            `json:"items"`    // items judged by then

	metric                   string  // key of the metric; "" for sameAsRequirement
	minRequired, maxRequired float64 // ends of the range that is required
	unit                     string  // their unit if the metric is ""
}

// Check holds the result of a check.
type Check struct {
	Says    string  `json:"says"` // the answer in a few sentences
	Verdict Verdict `json:"verdict"`
	File    string  `json:"file"`
	Run     string  `json:"run"` // folder of the run that was checked
	scoring.RunSetup
	ConfidenceLevel float64       `json:"level"` // confidence level of each interval
	Requirements    []Requirement `json:"requirements"`
	Calls           int           `json:"calls"` // judgments, with those of anchors; 0 for a stored run
	// parts that identify the judge and its items, by name: in the file, and now
	BaselineIdentity map[string]string `json:"baseline,omitempty"`
	Identity         map[string]string `json:"identity"`
	Change           *Change           `json:"change,omitempty"` // only if the file has anchors

	file    *File
	earlier []Check // of the same file
}

// Ask asks the judge in the folder dir until all requirements are decided, and then about the anchors. It continues the
// check that is there. With the folder of a stored run, it asks nothing and checks that run. The check is never nil.
func (f *File) Ask(ctx context.Context, e *eval.Maker, dir, stored string) (*Check, error) {
	occasions := float64(len(f.requirements)) // to decide wrongly
	c := &Check{
		File:             f.path,
		Requirements:     f.requirements,
		BaselineIdentity: f.Identity,
		ConfidenceLevel:  1 - alpha/occasions,
		file:             f,
	}
	if stored != "" {
		run, err := scoring.Load(stored, replyReadingRules)
		if err == nil {
			c.conclude(run)
			for _, r := range c.Requirements {
				if r.Found.Metric == "" {
					err = errors.New(r.String())
				}
			}
		}
		return c, err
	}
	metrics := scoring.ItemwiseMetrics(f.request.Protocol) // without them n is fixed, and there are no looks
	if metrics != nil {
		// Half is for all looks, whose intervals are valid together, and half for the end.
		c.ConfidenceLevel = 1 - alpha/2/occasions
	}
	if err := e.CheckRequest(f.request); err != nil {
		return c, f.blame(err)
	}
	anchors := 0
	if f.AnchorVerdicts != nil {
		_, calls, err := e.Items(requestForItems(f.request, f.anchorsPath))
		if err != nil {
			return c, err
		}
		anchors = 2 * calls * f.request.NumRepetitions
	}
	calls := math.MaxInt
	_, err := fmt.Sscan(f.AtMost, &calls)
	calls -= anchors
	if f.AtMost != "" && err != nil || calls < 1 {
		return c, suite.ErrorAtLine(f.path, 0, "at most: expected more calls than the %d for the anchors, not %q",
			anchors, f.AtMost)
	}
	rule := &eval.StoppingRule{Name: "check", Alpha: alpha, Metric: append(metrics, "")[0], MaxJudgments: calls}
	rule.Observe = func(place int, _ scoring.ItemResult) (enough bool) {
		if metrics != nil && (place+1)%max(10, rule.MaxItems/20) == 0 {
			run := rule.Records.Run()
			run.SetItemIDs(func() ([]string, error) { return judging.ItemIDs(f.request.Out) })
			c.decideRequirements(run)
		}
		return c.Count(Undecided) == 0
	}
	maker := *e
	maker.Rule = rule
	f.request.Out = dir + "/run"
	if _, err := maker.Run(ctx, f.request); err != nil {
		return c, err
	}
	run, err := scoring.Load(f.request.Out, replyReadingRules)
	if err != nil {
		return c, err
	}
	if n := run.Outcomes[judging.Failed]; n > 0 && c.Count(Undecided) > 0 { // at the end, they would count as wrong
		return c, eval.ErrorOfKind(eval.ErrIncomplete, fmt.Errorf("%d judgments failed; %s", n, e.Hints.GoOn))
	}
	if run.Items >= rule.MaxItems {
		run.Manifest.OrderSeed = nil // n was fixed beforehand
	}
	c.conclude(run)
	c.Calls = run.Answered + anchors
	c.readEarlier(dir)
	return c, c.askAnchors(ctx, e, dir)
}

// decideRequirements decides the requirements that the intervals of a run decide.
func (c *Check) decideRequirements(run *scoring.Run) {
	b := scoring.DefaultOptions.Bootstrap
	b.Level = c.ConfidenceLevel
	rep := run.Score(b)
	c.RunSetup = rep.RunSetup
	for i := range c.Requirements {
		r := &c.Requirements[i]
		if r.Verdict != Undecided {
			continue
		}
		r.JudgedItems = run.Items
		r.Found = scoring.Result{Note: run.Dir + " has no such number"}
		if r.metric != "" {
			if x := report.FirstModeResult(&rep, r.metric); x != nil {
				r.Found = *x
			}
		} else if compared, err := scoring.Compare([]*scoring.Run{c.file.baselineRun, run}, b); err != nil {
			r.Found.Note = err.Error() // no item is in both yet
		} else if d := compared.Comparisons[0].HeadlineDifference(); d != nil {
			r.Found = d.Result()
			r.Found.Note = d.Note
			if r.unit != d.Unit { // points are hundredths of a correlation
				r.unit = d.Unit
				r.minRequired /= 100
				r.maxRequired /= 100
			}
		}
		switch x := r.Found; {
		case !x.HasInterval():
		case *x.High < r.minRequired || *x.Low > r.maxRequired:
			r.Verdict = Missed
		case *x.Low >= r.minRequired && *x.High <= r.maxRequired:
			r.Verdict = Met
		}
	}
}

// Count returns the number of requirements with a verdict.
func (c *Check) Count(v Verdict) (n int) {
	for _, r := range c.Requirements {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

// conclude takes a last look at a run, and sets the answer and what identifies the run.
func (c *Check) conclude(run *scoring.Run) {
	c.decideRequirements(run)
	c.Run = run.Dir
	c.Identity = identityOf(run)
	c.Verdict = Met
	c.Says = phrases.Sentence("check.met", c.Count(Met), len(c.Requirements))
	for _, r := range c.Requirements {
		if r.Verdict == Met {
			continue
		}
		c.Says += "; " + string(r.Verdict) + ": " + r.Name
		if !r.Found.HasInterval() {
			c.Says += " (" + r.Found.Note + ")"
		}
		if c.Verdict != Missed {
			c.Verdict = r.Verdict
		}
	}
}

// Err returns [eval.ErrRefuted] if a requirement is missed, [eval.ErrUndecided] if none is missed and one is undecided,
// and nil if all are met.
func (c *Check) Err() error {
	kind := map[Verdict]error{Missed: eval.ErrRefuted, Undecided: eval.ErrUndecided}[c.Verdict]
	if kind == nil {
		return nil
	}
	return eval.ErrorOfKind(kind, errors.New(c.Says))
}
