// Package jury makes one judge of several: a run folder whose verdicts are what a rule makes of the verdicts of other
// runs. No model is asked. The folder is a run like any other: it is scored, compared, reported and raced.
package jury

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	Majority  Rule = "majority"  // what most say; a tie is a vote, and a draw a tie. Who has no verdict does not vote
	Unanimous Rule = "unanimous" // what all name; else a tie
	Weighted  Rule = "weighted"  // what the probabilities of the labels sum up to most for; a vote without them counts 1
	// of the first, in the order given, that names one response in every order; else of the last
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

// IsJury tells whether a run is that of a jury.
func IsJury(m *judging.Manifest) bool { return m.Server.Kind == serverKind && len(m.Stages) > 1 }

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

// Request is a jury to be made.
type Request struct {
	Runs    []string // folders of its members
	Rule    Rule
	Orders  bool // the verdicts in all orders of an item vote together, and the jury says the same in each
	Out     string
	Reading judging.Reading
	Gavel   string // version
}

// together tells whether the judgments of an item are decided as one.
func (req Request) together() bool { return req.Orders || req.Rule == Cascade }

// vote is a member's verdict on one judgment.
type vote struct {
	judging.Verdict
	choice        string             // id of the candidate named, or the number; equal for a tie
	probabilities map[string]float64 // by choice, where they are known
}

// equal is the choice of a vote for a tie.
const equal = ""

// member is a run with its verdicts by judgment.
type member struct {
	dir      string
	manifest *judging.Manifest
	votes    map[place]vote
	calls    int // of its judgments, those that were needed
}

// pair is the shape of records of pairs, which leave it out.
const pair = ""

// place is a judgment: an item's presentation.
type place struct {
	item  string
	index int
}

// jury is what is read of the members.
type jury struct {
	members []*member
	records []*judging.Record // one for each judgment that all members made, without a verdict
	partial int               // judgments that not all made
}

// Make writes the run of a jury. Members are runs of one protocol on the same dataset; judgments that a member has
// not made are left out, and counted. Of judgments asked several times the first counts.
func Make(req Request) (leftOut int, err error) {
	j, err := read(req.Runs, req.Reading)
	if err != nil {
		return 0, err
	}
	for _, group := range j.groups(req.together()) {
		j.decide(group, req)
	}
	return j.partial, j.write(req.Out, j.manifest(req))
}

// read reads the members' records.
func read(dirs []string, how judging.Reading) (*jury, error) {
	j := &jury{}
	kept := map[place]*judging.Record{}
	var order []place
	for i, dir := range dirs {
		of := &member{dir: dir, votes: map[place]vote{}}
		var err error
		of.manifest, err = judging.EachVerdict(dir, how,
			func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
				at := place{r.Item, r.Presentation}
				of.votes[at] = vote{
					Verdict:       v,
					choice:        cmp.Or(r.CandidateID(v.Choice), v.Answer),
					probabilities: shares(r, asker, how),
				}
				switch first := kept[at]; {
				case i == 0:
					kept[at] = bare(r)
					order = append(order, at)
				case first != nil && (!slices.Equal(first.Order, r.Order) || first.Gold != r.Gold ||
					first.Shape != r.Shape || r.Shape != pair && first.Mode != r.Mode):
					return fmt.Errorf("%s was asked, shown or labelled otherwise in %s: "+
						"a jury is of runs of one protocol on one dataset", r.Item, dirs[0])
				}
				return nil
			})
		if err != nil {
			return nil, err
		}
		j.members = append(j.members, of)
	}
	// In whatever order the judgments came in, the jury is the same.
	slices.SortFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.index, b.index))
	})
	for _, at := range order {
		if slices.ContainsFunc(j.members, func(m *member) bool { _, ok := m.votes[at]; return !ok }) {
			j.partial++
			continue
		}
		j.records = append(j.records, kept[at])
	}
	if len(j.records) == 0 {
		return nil, fmt.Errorf("%s and the others have no judgments in common", dirs[0])
	}
	return j, nil
}

// shares are the probabilities of choices, where the record has those of the labels.
func shares(r *judging.Record, asker judging.Asker, how judging.Reading) map[string]float64 {
	if len(r.Probabilities) == 0 {
		return nil
	}
	of := map[string]float64{}
	how.Name = judging.Paper
	for _, p := range r.Probabilities {
		switch v := asker.Parse(r.Shown(), p.Label, how); v.Outcome {
		case judging.Decided:
			of[r.CandidateID(v.Choice)] += p.P
		case judging.Tie:
			of[equal] += p.P
		}
	}
	return of
}

// bare is a record of what was shown, without what was said of it.
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
		Imported:      &judging.Imported{Stored: true},
	}
}

// groups are the judgments that are decided together: each by itself, or all of an item.
func (j *jury) groups(items bool) [][]*judging.Record {
	var groups [][]*judging.Record
	at := map[string]int{}
	for _, r := range j.records {
		i, known := at[r.Item]
		if !items || !known {
			i = len(groups)
			at[r.Item], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// decide gives a group of judgments their verdicts.
func (j *jury) decide(group []*judging.Record, req Request) {
	if req.Rule == Cascade {
		j.cascade(group)
		return
	}
	for _, m := range j.members {
		m.calls += len(group)
	}
	var votes []vote
	for _, r := range group {
		for _, m := range j.members {
			votes = append(votes, m.votes[place{r.Item, r.Presentation}])
		}
	}
	choice, said := settle(votes, req.Rule)
	for _, r := range group {
		say(r, choice, outcome(choice, said))
	}
}

// cascade asks one member after the other until one names the same response in every order.
func (j *jury) cascade(group []*judging.Record) {
	for i, m := range j.members {
		m.calls += len(group)
		first := m.votes[place{group[0].Item, group[0].Presentation}].choice
		agrees := first != "" && !slices.ContainsFunc(group, func(r *judging.Record) bool {
			return m.votes[place{r.Item, r.Presentation}].choice != first
		})
		if !agrees && i < len(j.members)-1 {
			continue
		}
		for _, r := range group {
			v := m.votes[place{r.Item, r.Presentation}]
			say(r, v.choice, v.Outcome)
		}
		return
	}
}

// settle is what votes come to, equal where that is what most say, or where two choices have as many; said is how many
// had a verdict.
func settle(votes []vote, rule Rule) (choice string, said int) {
	weight := map[string]float64{}
	for _, v := range votes {
		switch {
		case v.Outcome != judging.Decided && v.Outcome != judging.Tie:
			continue
		case rule == Weighted && len(v.probabilities) > 0:
			for id, p := range v.probabilities {
				weight[id] += p
			}
		default:
			weight[v.choice]++
		}
		said++
	}
	var most float64
	for id, w := range weight {
		switch {
		case w > most+1e-9:
			most, choice = w, id
		case w > most-1e-9:
			choice = equal
		}
	}
	if rule == Unanimous && most < float64(len(votes)) {
		choice = equal
	}
	return choice, said
}

// say gives a record its verdict.
func say(r *judging.Record, choice string, o judging.Outcome) {
	r.Choice, r.Answer = "", ""
	r.Outcome = o
	if slices.Contains(r.Order, choice) {
		r.Choice = choice
	} else {
		r.Answer = choice
	}
}

func outcome(choice string, said int) judging.Outcome {
	switch {
	case choice != equal:
		return judging.Decided
	case said > 0:
		return judging.Tie
	}
	return judging.NoVerdict
}

// manifest is that of the jury's run.
func (j *jury) manifest(req Request) *judging.Manifest {
	first := j.members[0].manifest
	var models []string
	sum := sha256.New()
	fmt.Fprintln(sum, req.Rule, req.Orders, req.Reading)
	var of []judging.StageOf
	simulated := false
	for _, m := range j.members {
		if name := m.manifest.Spec.Model.Name; !slices.Contains(models, name) {
			models = append(models, name)
		}
		fmt.Fprintln(sum, m.manifest.ID)
		of = append(of, judging.StageOf{
			Role:  Juror,
			Run:   m.dir,
			ID:    m.manifest.ID,
			Model: m.manifest.Spec.Model.Name,
			Calls: m.calls,
		})
		simulated = simulated || m.manifest.Simulated
	}
	rule := string(req.Rule)
	if req.Orders {
		rule += ofAllOrders
	}
	items := j.groups(true)
	spec := first.Spec
	spec.Parameters = judging.Parameters{}
	spec.Prompt = judging.Template{Name: promptName + rule, Labels: first.Spec.Prompt.Labels}
	spec.Model = judging.ModelSpec{
		Name:     scoring.JuryModel(len(j.members), models),
		Identity: "jury sha256=" + hex.EncodeToString(sum.Sum(nil)[:8]),
	}
	spec.Dataset.Items = len(items)
	spec.Dataset.IDs = judging.HashIDs(len(items), func(i int) string { return items[i][0].Item })
	m := judging.NewManifest(req.Gavel, spec)
	m.Status = judging.Complete
	m.Judgments = len(j.records)
	m.Simulated = simulated
	m.Stages = of
	m.Dataset, m.Model = first.Dataset, backends.Model{Name: spec.Model.Name}
	m.Server = backends.Server{Kind: serverKind, Name: "verdicts of other runs"}
	return m
}

// write writes the run: the items are the first member's.
func (j *jury) write(out string, m *judging.Manifest) error {
	items, err := os.Open(filepath.Join(j.members[0].dir, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer items.Close()
	return judging.WriteRun(out, m, j.records, func(line func([]byte) error) error {
		lines := bufio.NewScanner(items)
		lines.Buffer(nil, 1<<30)
		for lines.Scan() {
			if err := line(bytes.TrimSuffix(lines.Bytes(), []byte{'\n'})); err != nil {
				return err
			}
		}
		return lines.Err()
	})
}
