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

// JudgmentRow is a row of the Parquet table: one judgment. Names and units are those of
// records.jsonl, except where noted.
type JudgmentRow struct {
	Run           string `parquet:"run,dict"` // name of the run's folder
	Judge         string `parquet:"judge,dict"`
	Model         string `parquet:"model,dict"`
	Protocol      string `parquet:"protocol,dict"`
	Goal          string `parquet:"goal,dict"`
	Prompt        string `parquet:"prompt,dict"`
	Settings      string `parquet:"settings,dict"` // settings beside the prompt, such as "constrained"
	Dataset       string `parquet:"dataset,dict"`
	Item          string `parquet:"item,dict"`
	Group         string `parquet:"group,dict"`
	Mode          string `parquet:"mode,dict"`
	QuestionID    string `parquet:"question,dict"` // id of the question whose answer was judged
	Agent         string `parquet:"agent,dict"`    // model whose answer was judged
	Presentation  int32  `parquet:"showing"`       // which presentation (order) of the item was judged, from 0
	Presentations int32  `parquet:"showings"`      // number of presentations of the item
	Repeat        int32  `parquet:"repeat"`        // which repetition of the judgment, from 0

	Order      []string `parquet:"order,list"`   // candidates' ids, first shown first
	Gold       string   `parquet:"gold,dict"`    // id of the right candidate, or the right answer
	Outcome    string   `parquet:"outcome,dict"` // by the verdict that scores read now, as Choice to Confidence
	Choice     string   `parquet:"choice,dict"`
	Position   *int32   `parquet:"position,optional"` // position at which the choice was shown, from 1
	Answer     string   `parquet:"answer"`
	Right      *bool    `parquet:"right,optional"`      // the verdict is correct; null without a verdict or a label
	Confidence *float64 `parquet:"confidence,optional"` // probability of the verdict's label, 0 to 1
	Error      string   `parquet:"error"`

	PromptTokens int        `parquet:"prompt_tokens"`          // of all requests, as the tokens and times below
	CachedTokens *int       `parquet:"cached_tokens,optional"` // of the prompts; null if a reply does not say
	ReplyTokens  int        `parquet:"reply_tokens"`
	ThinkTokens  int        `parquet:"think_tokens"`
	Milliseconds float64    `parquet:"ms"`                                 // time of all requests
	Cached       bool       `parquet:"cached"`                             // every reply was in the cache
	At           *time.Time `parquet:"at,optional,timestamp(millisecond)"` // when the judgment was made

	Replies  []string `parquet:"replies,list"`
	Thinking []string `parquet:"thinking,list"`
}

// groupRows is the number of rows that the writer holds in memory before it writes them.
const groupRows = 10_000

// WriteParquet writes a Parquet table to out with a row for each judgment of the given runs' folders, in the order
// of their records, and returns the number of rows. It reads verdicts from the replies as scores do. Equal
// records give equal bytes.
func WriteParquet(out io.Writer, runs []string) (rows int, err error) {
	table := parquet.NewGenericWriter[JudgmentRow](out, parquet.Compression(&zstd.Codec{}),
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
		reading := scoring.DefaultOptions.Reading
		reading.AcceptTruncated = reading.AcceptTruncated || m.Spec.Parameters.AcceptTruncated
		var done judging.Completed
		err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
			if !done.Add(r) {
				return nil
			}
			v, err := r.Read(judge, reading)
			if err != nil {
				return err
			}
			rows++
			row := rowOf(dir, m, r)
			row.setVerdict(m, judge, r, v)
			_, err = table.Write([]JudgmentRow{row})
			return err
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, table.Close()
}

// rowOf returns the row of a record of the run in the folder dir, without its verdict; setVerdict adds that.
func rowOf(dir string, m *judging.Manifest, r *judging.Record) JudgmentRow {
	row := JudgmentRow{
		Run:           filepath.Base(dir),
		Judge:         cmp.Or(m.Name, scoring.JudgeName(r.Model)),
		Model:         r.Model,
		Protocol:      r.Protocol,
		Goal:          m.Spec.Goal,
		Prompt:        r.Prompt,
		Settings:      strings.Join(m.Spec.SettingLabels(), ", "),
		Dataset:       m.Dataset.Name,
		Item:          r.Item,
		Group:         r.Group,
		Mode:          r.Mode,
		QuestionID:    r.QuestionID,
		Agent:         r.Agent,
		Presentation:  int32(r.Presentation),
		Presentations: int32(r.Presentations),
		Repeat:        int32(r.Repetition),
		Order:         r.Order,
		Gold:          r.Gold,
		Error:         r.Error,
		Cached:        len(r.Replies) > 0,
	}
	if !r.At.IsZero() {
		row.At = &r.At
	}
	cached, allReported := 0, len(r.Replies) > 0
	for i, reply := range slices.Concat(r.Replies, r.ExtraReplies) {
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
			allReported = false
		} else {
			cached += *reply.CachedTokens
		}
	}
	if allReported {
		row.CachedTokens = &cached
	}
	return row
}

// setVerdict sets the columns of the row that depend on v, the verdict read from the record r.
func (row *JudgmentRow) setVerdict(m *judging.Manifest, judge judging.Asker, r *judging.Record, v judging.Verdict) {
	row.Outcome = string(v.Outcome)
	row.Choice = r.CandidateID(v.Choice)
	row.Answer = v.Answer
	if i := slices.Index(r.Order, row.Choice); i >= 0 {
		row.Position = new(int32(i + 1))
	}
	if v.Outcome != judging.Decided {
		return
	}
	if right, ok := m.Right(r, v); ok {
		row.Right = &right
	}
	if p, ok := r.Confidence(judge, v); ok {
		row.Confidence = &p
	}
}
