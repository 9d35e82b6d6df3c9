// Package jury makes one judge of several: a run folder whose verdicts are what a rule makes of the verdicts of other
// runs. No model is asked. The folder is a run like any other: it is scored, compared, reported and raced.
package jury

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

// Rule says how verdicts become one.
type Rule string

// Rules.
const (
	// most votes; a tie is a vote, and a draw a tie. A member without a verdict has no vote
	Majority Rule = "majority"
	// all votes; else a tie
	Unanimous Rule = "unanimous"
	// the highest sum of the probabilities of labels; a vote without them counts 1
	Weighted Rule = "weighted"
	// the verdict of the first member, in the order given, that names one response in every order; else of the last
	Cascade Rule = "cascade"
)

// Rules lists them, the default first.
var Rules = []Rule{Majority, Unanimous, Weighted, Cascade}

// What the manifest of a jury's run says.
const (
	Juror       = "juror" // the role of its members among its stages
	serverKind  = "jury"
	promptName  = "jury by "
	ofAllOrders = " of all orders"
)

// Jurors returns the members of a jury by the manifest of its run, in their order; nil of any other run.
func Jurors(m *judging.Manifest) []judging.StageRun {
	if m.Server.Kind != serverKind || len(m.Stages) < 2 {
		return nil
	}
	return m.Stages
}

// RuleName returns the rule of a jury in words, from the name of its prompt.
func RuleName(prompt string) string { return strings.TrimPrefix(prompt, promptName) }

// Command returns the words of the command that makes the run of a jury in the folder out, without its members.
func Command(m *judging.Manifest, out string) []string {
	words := []string{"gavel", "jury"}
	if rule := ruleOf(m); rule != Majority {
		words = append(words, "--rule", string(rule))
	}
	if strings.HasSuffix(m.Spec.Prompt.Name, ofAllOrders) {
		words = append(words, "--all-orders")
	}
	return append(words, "--out", out)
}

// Recipe describes a jury to be made.
type Recipe struct {
	Runs    []string // folders of its members
	Rule    Rule
	Orders  bool // the verdicts in all orders of an item vote together, and the jury has one verdict for all
	Out     string
	Reading judging.Reading
	Gavel   string // version
}

// vote holds a member's verdict on one judgment.
type vote struct {
	outcome       judging.Outcome
	choice        string             // id of the candidate, or the number; equal for a tie
	probabilities map[string]float64 // by choice; nil if there are none
}

// equal is the choice of a vote for a tie.
const equal = ""

// judgment holds one presentation of an item with the members' votes on it, in their order.
type judgment struct {
	*judging.Record // the presentation, and after decide the jury's verdict
	votes           []vote
}

// ballots holds the votes of the members.
type ballots struct {
	first     *judging.Manifest  // of the first member
	members   []judging.StageRun // with the judgments that the verdicts took
	simulated bool               // one of them is
	judgments []*judgment        // made by all members; sorted by item and presentation
	partial   int                // number of judgments that a member has not made
}

// pair is the shape of records of pairs, which leave it out.
const pair = ""

// Make writes the run of a jury. Members are runs of one protocol on the same dataset; judgments that a member has
// not made are left out, and counted. Of judgments asked several times the first counts.
func Make(req Recipe) (leftOut int, err error) {
	j, err := read(req.Runs, req.Reading)
	if err != nil {
		return 0, err
	}
	for _, group := range j.groups(req.Orders || req.Rule == Cascade) {
		j.decide(group, req.Rule)
	}
	return j.partial, j.write(req.Out, j.manifest(req))
}

// read collects the votes of the runs in some folders.
func read(dirs []string, reading judging.Reading) (*ballots, error) {
	j := &ballots{}
	type place struct {
		item         string
		presentation int
	}
	judgments := map[place]*judgment{}
	for i, dir := range dirs {
		m, err := judging.EachVerdict(dir, reading, func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
			key := place{r.Item, r.Presentation}
			if i == 0 {
				judgments[key] = &judgment{Record: bare(r)}
			}
			x := judgments[key]
			if x == nil {
				return nil
			}
			if !slices.Equal(x.Order, r.Order) || x.Gold != r.Gold || x.Shape != r.Shape ||
				r.Shape != pair && x.Mode != r.Mode {
				return fmt.Errorf("%s was asked, shown or labelled otherwise in %s: "+
					"a jury is of runs of one protocol on one dataset", r.Item, dirs[0])
			}
			x.votes = append(x.votes, vote{
				outcome:       v.Outcome,
				choice:        cmp.Or(r.CandidateID(v.Choice), v.Answer),
				probabilities: shares(r, asker, reading),
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
		j.first = cmp.Or(j.first, m)
		j.members = append(j.members, judging.StageRun{Role: Juror, Run: dir, ID: m.ID, Model: m.Spec.Model.Name})
		j.simulated = j.simulated || m.Simulated
	}
	// In whatever order the judgments came in, the jury is the same.
	j.judgments = slices.SortedFunc(maps.Values(judgments), func(a, b *judgment) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Presentation, b.Presentation))
	})
	j.judgments = slices.DeleteFunc(j.judgments, func(x *judgment) bool { return len(x.votes) < len(dirs) })
	j.partial = len(judgments) - len(j.judgments)
	if len(j.judgments) == 0 {
		return nil, fmt.Errorf("%s and the others have no judgments in common", dirs[0])
	}
	return j, nil
}

// shares returns the probabilities of choices; nil where the record has none.
func shares(r *judging.Record, asker judging.Asker, reading judging.Reading) map[string]float64 {
	if len(r.Probabilities) == 0 {
		return nil
	}
	sums := map[string]float64{}
	reading.Name = judging.Paper
	for _, p := range r.Probabilities {
		switch v := asker.Parse(r.Shown(), p.Label, reading); v.Outcome {
		case judging.Decided:
			sums[r.CandidateID(v.Choice)] += p.P
		case judging.Tie:
			sums[equal] += p.P
		}
	}
	return sums
}

// bare returns a record of the presentation without the member's reply.
func bare(r *judging.Record) *judging.Record {
	mode := r.Mode
	if r.Shape == pair {
		mode = "" // how one member was asked
	}
	return &judging.Record{
		Schema:        r.Schema,
		Protocol:      r.Protocol,
		Item:          r.Item,
		Source:        r.Source,
		Group:         r.Group,
		Presentation:  r.Presentation,
		Presentations: r.Presentations,
		Order:         r.Order,
		Gold:          r.Gold,
		Shape:         r.Shape,
		Mode:          mode,
		Question:      r.Question,
		Agent:         r.Agent,
		Own:           r.Own,
		Unrelated:     r.Unrelated,
		Ranks:         r.Ranks,
		Equal:         r.Equal,
		Replies:       []judging.Reply{},
		Imported:      &judging.ImportedFields{Stored: true},
	}
}

// groups returns the judgments that are decided together: each by itself, or all of an item.
func (j *ballots) groups(items bool) (groups [][]*judgment) {
	for i, x := range j.judgments {
		if !items || i == 0 || x.Item != j.judgments[i-1].Item {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, x)
	}
	return groups
}

// decide gives a group of judgments their verdicts.
func (j *ballots) decide(group []*judgment, rule Rule) {
	if rule == Cascade {
		j.cascade(group)
		return
	}
	for i := range j.members {
		j.members[i].Calls += len(group)
	}
	var votes []vote
	for _, x := range group {
		votes = append(votes, x.votes...)
	}
	choice, outcome := settle(votes, rule)
	for _, x := range group {
		x.decide(choice, outcome)
	}
}

// cascade gives a group the verdicts of the first member that names the same response in every order, or else of the
// last.
func (j *ballots) cascade(group []*judgment) {
	for i := range j.members {
		j.members[i].Calls += len(group)
		first := group[0].votes[i].choice
		differs := func(x *judgment) bool { return x.votes[i].choice != first }
		if (first == equal || slices.ContainsFunc(group, differs)) && i < len(j.members)-1 {
			continue
		}
		for _, x := range group {
			x.decide(x.votes[i].choice, x.votes[i].outcome)
		}
		return
	}
}

// settle applies a rule to votes. It returns equal as the choice where two choices have the same weight, and the
// outcome that follows.
func settle(votes []vote, rule Rule) (choice string, outcome judging.Outcome) {
	weight := map[string]float64{}
	outcome = judging.NoVerdict
	for _, v := range votes {
		switch {
		case v.outcome != judging.Decided && v.outcome != judging.Tie:
			continue
		case rule == Weighted && len(v.probabilities) > 0:
			for id, p := range v.probabilities {
				weight[id] += p
			}
		default:
			weight[v.choice]++
		}
		outcome = judging.Tie
	}
	var largest float64
	for id, w := range weight {
		switch {
		case w > largest+1e-9:
			largest, choice = w, id
		case w > largest-1e-9:
			choice = equal
		}
	}
	if rule == Unanimous && largest < float64(len(votes)) {
		choice = equal
	}
	if choice != equal {
		outcome = judging.Decided
	}
	return choice, outcome
}

// decide gives the judgment its verdict.
func (x *judgment) decide(choice string, outcome judging.Outcome) {
	x.Outcome = outcome
	if slices.Contains(x.Order, choice) {
		x.Choice = choice
	} else {
		x.Answer = choice
	}
}

// manifest returns the manifest of the jury's run.
func (j *ballots) manifest(req Recipe) *judging.Manifest {
	rule := string(req.Rule)
	if req.Orders {
		rule += ofAllOrders
	}
	var models []string
	sum := sha256.New()
	fmt.Fprintln(sum, req.Rule, req.Orders, req.Reading)
	for _, member := range j.members {
		if !slices.Contains(models, member.Model) {
			models = append(models, member.Model)
		}
		fmt.Fprintln(sum, member.ID)
	}
	items := j.groups(true)
	spec := j.first.Spec
	spec.Parameters = judging.Parameters{}
	spec.Prompt = judging.Template{Name: promptName + rule, Labels: spec.Prompt.Labels}
	spec.Model = judging.ModelSpec{
		Name:     scoring.JuryModel(len(j.members), models),
		Identity: "jury sha256=" + hex.EncodeToString(sum.Sum(nil)[:8]),
	}
	spec.Dataset.Items = len(items)
	spec.Dataset.IDs = judging.HashIDs(len(items), func(i int) string { return items[i][0].Item })
	m := judging.NewManifest(req.Gavel, spec)
	m.Status = judging.Complete
	m.Judgments = len(j.judgments)
	m.Simulated = j.simulated
	m.Stages = j.members
	m.Dataset = j.first.Dataset
	m.Model = backends.Model{Name: spec.Model.Name}
	m.Server = backends.ServerInfo{Kind: serverKind, Name: "verdicts of other runs"}
	return m
}

// write writes the run with the items of the first member.
func (j *ballots) write(out string, m *judging.Manifest) error {
	items, err := os.ReadFile(filepath.Join(j.members[0].Run, judging.ItemsFile))
	if err != nil {
		return err
	}
	var records []*judging.Record
	for _, x := range j.judgments {
		records = append(records, x.Record)
	}
	return judging.WriteRun(out, m, records, func(line func([]byte) error) error {
		for text := range bytes.Lines(items) {
			if err := line(bytes.TrimRight(text, "\r\n")); err != nil {
				return err
			}
		}
		return nil
	})
}
