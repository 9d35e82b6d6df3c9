// Package jury makes one judge, a jury, of several: it writes a run folder whose verdicts a rule derives from those of
// other runs. No model is asked. The folder is a run like any other: it is scored, compared, reported and raced.
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

// Rule names the way in which the verdicts of a jury's members are combined into one.
type Rule string

// Rules that combine the verdicts of a jury's members.
const (
	// the verdict with the most votes; a verdict of tie is a vote, and equally many votes make a tie. A member without a
	// verdict has no vote
	Majority Rule = "majority"
	// the response that all members name; else a tie
	Unanimous Rule = "unanimous"
	// the verdict with the highest sum of label probabilities over the members; a vote without probabilities counts 1
	Weighted Rule = "weighted"
	// the verdict of the first member, in the order given, that names one response in every order of the responses; else
	// that of the last member
	Cascade Rule = "cascade"
)

// Rules lists the rules of juries, the default first.
var Rules = []Rule{Majority, Unanimous, Weighted, Cascade}

// Texts in the manifest of a jury's run, by which it is recognized.
const (
	JurorRole       = "juror"          // role of the members in the manifest's list of other runs that the run uses
	serverKind      = "jury"           // kind of the run's server
	promptPrefix    = "jury by "       // begins the prompt's name, followed by the rule
	allOrdersSuffix = " of all orders" // ends the prompt's name if the verdicts in all orders of an item vote together
)

// MemberRuns returns the runs of a jury's members, in their order, from the manifest of its run; nil for other runs.
func MemberRuns(m *judging.Manifest) []judging.StageRun {
	if m.Server.WireFormat != serverKind || len(m.Stages) < 2 {
		return nil
	}
	return m.Stages
}

// RuleName returns the rule of a jury in words, from the name of the prompt of its run.
func RuleName(prompt string) string { return strings.TrimPrefix(prompt, promptPrefix) }

// Command returns the words of the command that made the run of a jury, with the folder out and without the members.
func Command(m *judging.Manifest, out string) []string {
	words := []string{"gavel", "jury"}
	if rule := ruleOf(m); rule != Majority {
		words = append(words, "--rule", string(rule))
	}
	if strings.HasSuffix(m.Spec.Prompt.Name, allOrdersSuffix) {
		words = append(words, "--all-orders")
	}
	return append(words, "--out", out)
}

// Recipe describes a jury for [Make].
type Recipe struct {
	Runs []string // folders of the members' runs
	Rule Rule     // rule by which the members' verdicts are combined
	// the verdicts in all orders of an item vote together, and the jury has one verdict for all orders
	VoteAcrossOrders bool
	Out              string                 // folder of the jury's run
	Reading          judging.ReadingOptions // how the members' replies are read
	Gavel            string                 // version of gavel, for the manifest
}

// vote holds a member's verdict in one judgment.
type vote struct {
	outcome       judging.Outcome    // whether the member names a response, a tie or nothing
	choice        string             // id of the candidate that the member names, or the number; equal for a tie
	probabilities map[string]float64 // probability of each choice; nil if the record has none
}

// tieChoice is the choice of a vote for a tie.
const tieChoice = ""

// juryJudgment holds one presentation of an item, an order of its responses, with the members' votes on it.
type juryJudgment struct {
	*judging.Record        // the presentation, and after decide the jury's verdict
	votes           []vote // by member
}

// ballots holds the votes of a jury's members on all judgments.
type ballots struct {
	firstManifest *judging.Manifest // manifest of the first member's run
	// runs of the members, each with the number of its judgments that the jury's verdicts used
	members          []judging.StageRun
	simulated        bool            // a member is a simulated judge
	judgments        []*juryJudgment // judgments made by all members, sorted by item and presentation
	partialJudgments int             // judgments of the first member that another member has not made
}

// pairShape is the value of Record.Shape in records of pairs of responses.
const pairShape = ""

// Make writes the run of a jury. The members must be runs of one protocol on the same dataset. leftOut is the number of
// judgments that were left out because a member has not made them. Of judgments asked several times the first counts.
func Make(req Recipe) (leftOut int, err error) {
	j, err := read(req.Runs, req.Reading)
	if err != nil {
		return 0, err
	}
	for _, group := range j.groups(req.VoteAcrossOrders || req.Rule == Cascade) {
		j.decide(group, req.Rule)
	}
	return j.partialJudgments, j.write(req.Out, j.manifest(req))
}

// read collects the members' votes from the runs in these folders.
func read(dirs []string, reading judging.ReadingOptions) (*ballots, error) {
	j := &ballots{}
	type place struct {
		item         string
		presentation int
	}
	judgments := map[place]*juryJudgment{}
	for i, dir := range dirs {
		m, err := judging.EachVerdict(dir, reading, func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
			key := place{r.Item, r.Presentation}
			if i == 0 {
				judgments[key] = &juryJudgment{Record: recordWithoutReply(r)}
			}
			x := judgments[key]
			if x == nil {
				return nil
			}
			if !slices.Equal(x.Order, r.Order) || x.Gold != r.Gold || x.Shape != r.Shape ||
				r.Shape != pairShape && x.Mode != r.Mode {
				return fmt.Errorf("%s was asked, shown or labelled otherwise in %s: "+
					"a jury is of runs of one protocol on one dataset", r.Item, dirs[0])
			}
			x.votes = append(x.votes, vote{
				outcome:       v.Outcome,
				choice:        cmp.Or(r.CandidateID(v.Choice), v.Answer),
				probabilities: choiceProbabilities(r, asker, reading),
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
		j.firstManifest = cmp.Or(j.firstManifest, m)
		j.members = append(j.members, judging.StageRun{Role: JurorRole, Run: dir, ID: m.ID, Model: m.Spec.Model.Name})
		j.simulated = j.simulated || m.Simulated
	}
	// In whatever order the judgments came in, the jury is the same.
	j.judgments = slices.SortedFunc(maps.Values(judgments), func(a, b *juryJudgment) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Presentation, b.Presentation))
	})
	j.judgments = slices.DeleteFunc(j.judgments, func(x *juryJudgment) bool { return len(x.votes) < len(dirs) })
	j.partialJudgments = len(judgments) - len(j.judgments)
	if len(j.judgments) == 0 {
		return nil, fmt.Errorf("%s and the others have no judgments in common", dirs[0])
	}
	return j, nil
}

// choiceProbabilities returns the probabilities of a record's choices, from those of its labels; nil if it has none.
func choiceProbabilities(r *judging.Record, asker judging.Asker, reading judging.ReadingOptions) map[string]float64 {
	if len(r.Probabilities) == 0 {
		return nil
	}
	sums := map[string]float64{}
	reading.Readers = judging.PaperReaders
	for _, p := range r.Probabilities {
		switch v := asker.Parse(r.Shown(), p.Label, reading); v.Outcome {
		case judging.Decided:
			sums[r.CandidateID(v.Choice)] += p.P
		case judging.Tie:
			sums[tieChoice] += p.P
		}
	}
	return sums
}

// recordWithoutReply returns a record of the same presentation as r, without the member's reply.
func recordWithoutReply(r *judging.Record) *judging.Record {
	mode := r.Mode
	if r.Shape == pairShape {
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
		QuestionID:    r.QuestionID,
		Agent:         r.Agent,
		Own:           r.Own,
		UnrelatedID:   r.UnrelatedID,
		Ranks:         r.Ranks,
		EqualOptions:  r.EqualOptions,
		Replies:       []judging.Reply{},
		Imported:      &judging.ImportedFields{DecisionIsVerdict: true},
	}
}

// groups returns the judgments in groups that get one verdict: each by itself or, with items, all of an item together.
func (j *ballots) groups(items bool) (groups [][]*juryJudgment) {
	for i, x := range j.judgments {
		if !items || i == 0 || x.Item != j.judgments[i-1].Item {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, x)
	}
	return groups
}

// decide sets the jury's verdict on a group of judgments, by a rule.
func (j *ballots) decide(group []*juryJudgment, rule Rule) {
	if rule == Cascade {
		j.cascade(group)
		return
	}
	for i := range j.members {
		j.members[i].UsedJudgments += len(group)
	}
	var votes []vote
	for _, x := range group {
		votes = append(votes, x.votes...)
	}
	choice, outcome := combineVotes(votes, rule)
	for _, x := range group {
		x.decide(choice, outcome)
	}
}

// cascade sets the verdicts on the judgments of an item: those of the first member that names the same response in
// every order, or else of the last member.
func (j *ballots) cascade(group []*juryJudgment) {
	for i := range j.members {
		j.members[i].UsedJudgments += len(group)
		first := group[0].votes[i].choice
		differs := func(x *juryJudgment) bool { return x.votes[i].choice != first }
		if (first == tieChoice || slices.ContainsFunc(group, differs)) && i < len(j.members)-1 {
			continue
		}
		for _, x := range group {
			x.decide(x.votes[i].choice, x.votes[i].outcome)
		}
		return
	}
}

// combineVotes applies a rule other than Cascade to votes. It returns the winning choice and its outcome. The choice is
// equal, with the outcome Tie, if two choices have the same weight; without votes the outcome is NoVerdict.
func combineVotes(votes []vote, rule Rule) (choice string, outcome judging.Outcome) {
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
			choice = tieChoice
		}
	}
	if rule == Unanimous && largest < float64(len(votes)) {
		choice = tieChoice
	}
	if choice != tieChoice {
		outcome = judging.Decided
	}
	return choice, outcome
}

// decide sets the jury's verdict on the judgment.
func (x *juryJudgment) decide(choice string, outcome judging.Outcome) {
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
	if req.VoteAcrossOrders {
		rule += allOrdersSuffix
	}
	var models []string
	sum := sha256.New()
	fmt.Fprintln(sum, req.Rule, req.VoteAcrossOrders, req.Reading)
	for _, member := range j.members {
		if !slices.Contains(models, member.Model) {
			models = append(models, member.Model)
		}
		fmt.Fprintln(sum, member.ID)
	}
	items := j.groups(true)
	spec := j.firstManifest.Spec
	spec.Parameters = judging.Parameters{}
	spec.Prompt = judging.Template{Name: promptPrefix + rule, Labels: spec.Prompt.Labels}
	spec.Model = judging.ModelSpec{
		Name:     scoring.JuryModel(len(j.members), models),
		Identity: "jury sha256=" + hex.EncodeToString(sum.Sum(nil)[:8]),
	}
	spec.Dataset.Items = len(items)
	spec.Dataset.IDsHash = judging.HashIDs(len(items), func(i int) string { return items[i][0].Item })
	m := judging.NewManifest(req.Gavel, spec)
	m.Status = judging.Complete
	m.Judgments = len(j.judgments)
	m.Simulated = j.simulated
	m.Stages = j.members
	m.Dataset = j.firstManifest.Dataset
	m.Model = backends.Model{Name: spec.Model.Name}
	m.Server = backends.ServerInfo{WireFormat: serverKind, Name: "verdicts of other runs"}
	return m
}

// write writes the jury's run to the folder out, with the items of the first member.
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
