package imports

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// Builder collects the items and judgments of a run to import.
type Builder struct {
	ImportedRun
	Asker        judging.Asker   // reads the replies
	MissingError string          // error of records without a judgment in the file
	Items        []datasets.Item // items of the run; Raw is an item's line in items.jsonl
	Records      []*judging.Record
	Missing      int // records without a judgment in the file
	VerdictCount int // records with a verdict
}

// StoredJudgment is a judgment as a file of another harness has it. Without replies and without a verdict it counts as
// missing.
type StoredJudgment struct {
	Replies     []string         // the judge's replies, in their order
	Verdict     *judging.Verdict // verdict of a judgment whose reply gavel does not read; else nil
	Decision    *string          // decision in the file, kept beside gavel's reading
	Prompt      string           // prompt in the file
	Scores      json.RawMessage  // a reward model's scores of the candidates, first shown first
	Mode        string           // the way of asking, of protocols with several; "": as the presentation says
	SingleOrder bool             // computed from the scores of the other order, as the file has one order only
}

// AddItem adds an item to the run.
func (m *Builder) AddItem(item datasets.Item) { m.Items = append(m.Items, item) }

// AddJudgment adds a judgment on an item to the run and returns its record. presentation is the index of the order in
// which the judge saw the item.
func (m *Builder) AddJudgment(item datasets.Item, presentation int, j StoredJudgment) (*judging.Record, error) {
	presentations := m.Asker.Presentations(item)
	manifest := &judging.Manifest{Spec: judging.Spec{Protocol: m.Asker.Name()}}
	r := judging.NewRecord(manifest, item, presentations[presentation])
	r.Presentations = len(presentations)
	r.Mode = cmp.Or(j.Mode, r.Mode)
	r.Imported = &judging.ImportedFields{
		Prompt:            j.Prompt,
		Scores:            j.Scores,
		Decision:          j.Decision,
		DecisionIsVerdict: j.Verdict != nil,
		SingleOrder:       j.SingleOrder,
	}
	for _, text := range j.Replies {
		r.Replies = append(r.Replies, judging.Reply{Text: text, Finish: backends.FinishStop})
	}
	m.Records = append(m.Records, r)
	switch {
	case j.Verdict != nil:
		r.SetVerdict(*j.Verdict)
	case j.Replies == nil:
		m.Missing++
		r.Outcome = judging.Failed
		r.Error = m.MissingError
		r.Imported.JudgmentMissing = true
	default:
		v, err := r.Read(m.Asker, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if err != nil {
			return nil, err
		}
		r.SetVerdict(v)
	}
	if r.Outcome.IsVerdict() {
		m.VerdictCount++
	}
	return r, nil
}

// SetManifest makes the manifest of the run. source says where such files come from. If the spec has no number of
// items, its dataset's hash, number and ids of items are computed from the items added.
func (m *Builder) SetManifest(gavel, source, file string, spec judging.Spec, info judging.DatasetInfo) {
	if spec.Dataset.Items == 0 {
		sum := sha256.New()
		for _, item := range m.Items {
			fmt.Fprintf(sum, "%s\n", item.Raw)
		}
		spec.Dataset = judging.DatasetSpec{
			SHA256:  cmp.Or(spec.Dataset.SHA256, fmt.Sprintf("%x", sum.Sum(nil))),
			Items:   len(m.Items),
			IDsHash: judging.HashIDs(len(m.Items), func(i int) string { return m.Items[i].ID }),
		}
	}
	m.Manifest = judging.NewManifest(gavel, spec)
	m.Manifest.Status = judging.Complete
	m.Manifest.Judgments = len(m.Records)
	m.Manifest.Imported = filepath.Base(file)
	m.Manifest.Model.Name = spec.Model.Name
	m.Manifest.Server.WireFormat = "import"
	m.Manifest.Server.Name = source
	m.Manifest.Dataset = info
}

// Write writes the run's manifest, records and items to the folder dir.
func (m *Builder) Write(dir string) error {
	m.Dir = dir
	return judging.WriteRun(m.Dir, m.Manifest, m.Records, func(line func([]byte) error) error {
		for _, item := range m.Items {
			if err := line(item.Raw); err != nil {
				return err
			}
		}
		return nil
	})
}
