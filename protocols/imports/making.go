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

// Making gathers a run to import: items, and the judgments that a file has on them.
type Making struct {
	Run
	Asker   judging.Asker   // reads the replies
	Lack    string          // the error of a record whose judgment the file lacks
	Items   []datasets.Item // Raw is the line in items.jsonl
	Records []*judging.Record
	Missing int // records whose judgment the file lacks
	Read    int // records with a verdict
}

// Judgment is a judgment as a file has it. Without replies and without a verdict it counts as missing.
type Judgment struct {
	Replies  []string
	Verdict  *judging.Verdict // for a judgment without a text to read
	Decision *string          // what the file says was decided
	Prompt   string           // what the file says was asked
	Scores   json.RawMessage
	Mode     string
	Single   bool // repeats the other order's, of a judge whose scores do not depend on the order
}

// Add adds an item.
func (m *Making) Add(item datasets.Item) { m.Items = append(m.Items, item) }

// Judge adds a judgment on an item in one of its presentations, and returns its record.
func (m *Making) Judge(item datasets.Item, presentation int, j Judgment) (*judging.Record, error) {
	shown := m.Asker.Presentations(item)
	r := judging.NewRecord(&judging.Manifest{Spec: judging.Spec{Protocol: m.Asker.Name()}}, item, shown[presentation])
	r.Presentations = len(shown)
	r.Mode = cmp.Or(j.Mode, r.Mode)
	r.Imported = &judging.Imported{
		Prompt:   j.Prompt,
		Scores:   j.Scores,
		Decision: j.Decision,
		Stored:   j.Verdict != nil,
		Single:   j.Single,
	}
	for _, text := range j.Replies {
		r.Replies = append(r.Replies, judging.Reply{Text: text, Finish: backends.Stop})
	}
	m.Records = append(m.Records, r)
	switch {
	case j.Verdict != nil:
		r.Take(*j.Verdict)
	case j.Replies == nil:
		m.Missing++
		r.Outcome = judging.Failed
		r.Error = m.Lack
		r.Imported.Missing = true
	default:
		v, err := r.Read(m.Asker, judging.Reading{Policy: judging.Unique})
		if err != nil {
			return nil, err
		}
		r.Take(v)
	}
	if r.Outcome.Verdict() {
		m.Read++
	}
	return r, nil
}

// Describe makes the manifest. about says where such files come from. Fields of the spec about the items that are empty
// are computed from their lines and ids.
func (m *Making) Describe(gavel, about, file string, spec judging.Spec, info judging.DatasetInfo) {
	if spec.Dataset.Items == 0 {
		sum := sha256.New()
		for _, item := range m.Items {
			fmt.Fprintf(sum, "%s\n", item.Raw)
		}
		spec.Dataset = judging.DatasetSpec{
			SHA256: cmp.Or(spec.Dataset.SHA256, fmt.Sprintf("%x", sum.Sum(nil))),
			Items:  len(m.Items),
			IDs:    judging.HashIDs(len(m.Items), func(i int) string { return m.Items[i].ID }),
		}
	}
	m.Manifest = judging.NewManifest(gavel, spec)
	m.Manifest.Status = judging.Complete
	m.Manifest.Judgments = len(m.Records)
	m.Manifest.Imported = filepath.Base(file)
	m.Manifest.Model.Name = spec.Model.Name
	m.Manifest.Server.Kind = "import"
	m.Manifest.Server.Name = about
	m.Manifest.Dataset = info
}

// Write writes the run's directory.
func (m *Making) Write(dir string) error {
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
