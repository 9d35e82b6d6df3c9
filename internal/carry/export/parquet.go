// Package export writes judgments as a table for other programs.
package export

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gavel/judging"
	"gavel/scoring"
)

// Judgment is a row. Words and units are those of records.jsonl, where nothing else is said.
type Judgment struct {
	Run      string `parquet:"run,dict"` // folder
	Judge    string `parquet:"judge,dict"`
	Model    string `parquet:"model,dict"`
	Protocol string `parquet:"protocol,dict"`
	Goal     string `parquet:"goal,dict"`
	Prompt   string `parquet:"prompt,dict"`
	Settings string `parquet:"settings,dict"` // what was asked for beside the prompt, such as "constrained"
	Dataset  string `parquet:"dataset,dict"`
	Item     string `parquet:"item,dict"`
	Group    string `parquet:"group,dict"`
	Mode     string `parquet:"mode,dict"`
	Question string `parquet:"question,dict"`
	Agent    string `parquet:"agent,dict"`
	Showing  int32  `parquet:"showing"`
	Showings int32  `parquet:"showings"`
	Repeat   int32  `parquet:"repeat"`

	Order      []string `parquet:"order,list"`
	Gold       string   `parquet:"gold,dict"`
	Outcome    string   `parquet:"outcome,dict"` // as scores count it, as the next four
	Choice     string   `parquet:"choice,dict"`
	Position   *int32   `parquet:"position,optional"` // where the choice was shown, from 1
	Answer     string   `parquet:"answer"`
	Right      *bool    `parquet:"right,optional"`      // null where there is no verdict, or nobody can say
	Confidence *float64 `parquet:"confidence,optional"` // probability of the verdict's label, 0 to 1
	Error      string   `parquet:"error"`

	PromptTokens int        `parquet:"prompt_tokens"` // of all turns and asides, as the next four
	CachedTokens *int       `parquet:"cached_tokens,optional"`
	ReplyTokens  int        `parquet:"reply_tokens"`
	ThinkTokens  int        `parquet:"think_tokens"`
	Milliseconds float64    `parquet:"ms"`
	Cached       bool       `parquet:"cached"` // every reply was in the cache
	At           *time.Time `parquet:"at,optional,timestamp(millisecond)"`

	Replies  []string `parquet:"replies,list"`
	Thinking []string `parquet:"thinking,list"`
}

// groupRows are the rows that are held in memory before they are written.
const groupRows = 10_000

// Parquet writes a row a judgment of some runs, in the order of their records, and says how many. Verdicts are read as
// scores read them. The same records are the same bytes.
func Parquet(out io.Writer, runs []string) (rows int, err error) {
	table := parquet.NewGenericWriter[Judgment](out, parquet.Compression(&zstd.Codec{}),
		parquet.MaxRowsPerRowGroup(groupRows), parquet.CreatedBy("gavel", "", ""))
	for _, dir := range runs {
		m, err := judging.ReadManifest(dir)
		if err != nil {
			return rows, err
		}
		judge, err := judging.AskerOf(m)
		if err != nil {
			return rows, err
		}
		how := scoring.DefaultOptions.Reading
		how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
		var seen judging.Completed
		err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
			if seen.Has(r.Item, r.Presentation, r.Repetition) {
				return nil
			}
			seen.Add(r)
			v, err := r.Read(judge, how)
			if err != nil {
				return err
			}
			rows++
			row := rowOf(dir, m, r)
			row.take(m, judge, r, v)
			_, err = table.Write([]Judgment{row})
			return err
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, table.Close()
}

// rowOf is what a record says but for its verdict.
func rowOf(dir string, m *judging.Manifest, r *judging.Record) Judgment {
	row := Judgment{
		Run:      filepath.Base(dir),
		Judge:    cmp.Or(m.Name, scoring.JudgeName(r.Model)),
		Model:    r.Model,
		Protocol: r.Protocol,
		Goal:     m.Spec.Goal,
		Prompt:   r.Prompt,
		Settings: strings.Join(m.Spec.Labels(), ", "),
		Dataset:  m.Dataset.Name,
		Item:     r.Item,
		Group:    r.Group,
		Mode:     r.Mode,
		Question: r.Question,
		Agent:    r.Agent,
		Showing:  int32(r.Presentation),
		Showings: int32(r.Presentations),
		Repeat:   int32(r.Repetition),
		Order:    r.Order,
		Gold:     r.Gold,
		Error:    r.Error,
		Cached:   len(r.Replies) > 0,
	}
	if !r.At.IsZero() {
		row.At = &r.At
	}
	cached, isTold := 0, len(r.Replies) > 0
	for i, reply := range slices.Concat(r.Replies, r.Asides) {
		if i < len(r.Replies) {
			row.Replies = append(row.Replies, reply.Text)
			row.Thinking = append(row.Thinking, reply.Thinking)
		}
		row.PromptTokens += reply.PromptTokens
		row.ReplyTokens += reply.ReplyTokens
		row.ThinkTokens += reply.ThinkTokens
		row.Milliseconds += reply.Milliseconds
		row.Cached = row.Cached && reply.Cached
		if reply.CachedTokens == nil {
			isTold = false
		} else {
			cached += *reply.CachedTokens
		}
	}
	if isTold {
		row.CachedTokens = &cached
	}
	return row
}

// take notes a verdict.
func (row *Judgment) take(m *judging.Manifest, judge judging.Asker, r *judging.Record, v judging.Verdict) {
	row.Outcome = string(v.Outcome)
	row.Choice = r.CandidateID(v.Choice)
	row.Answer = v.Answer
	for i, id := range r.Order {
		if id == row.Choice {
			position := int32(i + 1)
			row.Position = &position
		}
	}
	if v.Outcome != judging.Decided {
		return
	}
	if right, known := m.Right(r, v); known {
		row.Right = &right
	}
	if p, told := r.Confidence(judge, v); told {
		row.Confidence = &p
	}
}
