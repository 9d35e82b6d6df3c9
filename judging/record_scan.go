package judging

import (
	"encoding/json"
	"strconv"
	"sync"
	"unicode/utf8"

	"gavel/datasets"
)

// decode reads a line of records.jsonl. Runs have many, and whoever looks at one
// waits for all of them: a line as [recordWriter] writes it goes the quick way,
// any other that of encoding/json.
func (r *Record) decode(line []byte) error {
	if r.scan(line) {
		return nil
	}
	*r = Record{}
	return json.Unmarshal(line, r)
}

// recordScan reads a record as encoding/json does, or gives up on it: on keys
// that it does not know, and on null where a text or a number is expected.
type recordScan struct {
	datasets.Scanner
	r *Record
}

var recordScans = sync.Pool{New: func() any { return new(recordScan) }}

func (r *Record) scan(line []byte) bool {
	if !utf8.Valid(line) {
		return false // encoding/json mends it
	}
	s := recordScans.Get().(*recordScan)
	s.Reset(line)
	s.r = r
	ok := s.Object(s.value) && s.End()
	s.Reset(nil)
	s.r = nil
	recordScans.Put(s)
	return ok
}

func (s *recordScan) value(key []byte) bool {
	read := recordKeys[string(key)]
	return read != nil && read(s, s.r)
}

// recordKeys read the value of each key of a record.
var recordKeys = map[string]func(*recordScan, *Record) bool{
	"schema":        func(s *recordScan, r *Record) bool { return scanInt(s, &r.Schema) },
	"run":           func(s *recordScan, r *Record) bool { return scanText(s, &r.Run) },
	"gavel":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Gavel) },
	"protocol":      func(s *recordScan, r *Record) bool { return scanText(s, &r.Protocol) },
	"prompt":        func(s *recordScan, r *Record) bool { return scanText(s, &r.Prompt) },
	"prompt_sha256": func(s *recordScan, r *Record) bool { return scanText(s, &r.PromptID) },
	"model":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Model) },
	"identity":      func(s *recordScan, r *Record) bool { return scanText(s, &r.Identity) },
	"item":          func(s *recordScan, r *Record) bool { return scanText(s, &r.Item) },
	"source":        func(s *recordScan, r *Record) bool { return scanText(s, &r.Source) },
	"group":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Group) },
	"showing":       func(s *recordScan, r *Record) bool { return scanInt(s, &r.Showing) },
	"showings":      func(s *recordScan, r *Record) bool { return scanInt(s, &r.Showings) },
	"repeat":        func(s *recordScan, r *Record) bool { return scanInt(s, &r.Repeat) },
	"order":         func(s *recordScan, r *Record) bool { return s.order(&r.Order) },
	"gold":          func(s *recordScan, r *Record) bool { return scanText(s, &r.Gold) },
	"shape":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Shape) },
	"mode":          func(s *recordScan, r *Record) bool { return scanText(s, &r.Mode) },
	"question":      func(s *recordScan, r *Record) bool { return scanText(s, &r.Question) },
	"agent":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Agent) },
	"own":           func(s *recordScan, r *Record) bool { return s.nested(&r.Own) },
	"unrelated":     func(s *recordScan, r *Record) bool { return scanText(s, &r.Unrelated) },
	"ranks":         func(s *recordScan, r *Record) bool { return s.nested(&r.Ranks) },
	"equal":         func(s *recordScan, r *Record) bool { return s.nested(&r.Equal) },
	"replies":       func(s *recordScan, r *Record) bool { return s.replies(&r.Replies) },
	"outcome":       func(s *recordScan, r *Record) bool { return scanText(s, &r.Outcome) },
	"label":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Label) },
	"choice":        func(s *recordScan, r *Record) bool { return scanText(s, &r.Choice) },
	"answer":        func(s *recordScan, r *Record) bool { return scanText(s, &r.Answer) },
	"rule":          func(s *recordScan, r *Record) bool { return scanText(s, &r.Rule) },
	"error":         func(s *recordScan, r *Record) bool { return scanText(s, &r.Error) },
	"probabilities": func(s *recordScan, r *Record) bool { return s.nested(&r.Probabilities) },
	"at":            func(s *recordScan, r *Record) bool { return s.nested(&r.At) },
	"imported":      func(s *recordScan, r *Record) bool { return s.nested(&r.Imported) },
}

// replyKeys read the value of each key of a reply.
var replyKeys = map[string]func(*recordScan, *Reply) bool{
	"text":          func(s *recordScan, r *Reply) bool { return scanText(s, &r.Text) },
	"thinking":      func(s *recordScan, r *Reply) bool { return scanText(s, &r.Thinking) },
	"finish":        func(s *recordScan, r *Reply) bool { return scanText(s, &r.Finish) },
	"detail":        func(s *recordScan, r *Reply) bool { return scanText(s, &r.Detail) },
	"prompt_tokens": func(s *recordScan, r *Reply) bool { return scanInt(s, &r.PromptTokens) },
	"reply_tokens":  func(s *recordScan, r *Reply) bool { return scanInt(s, &r.ReplyTokens) },
	"ms":            func(s *recordScan, r *Reply) bool { return s.number(&r.Milliseconds) },
	"cached":        func(s *recordScan, r *Reply) bool { return s.truth(&r.Cached) },
	"origin":        func(s *recordScan, r *Reply) bool { return scanText(s, &r.Origin) },
	"endpoint":      func(s *recordScan, r *Reply) bool { return scanText(s, &r.Endpoint) },
	"model":         func(s *recordScan, r *Reply) bool { return scanText(s, &r.Model) },
	"constrained":   func(s *recordScan, r *Reply) bool { return s.truth(&r.Constrained) },
}

func scanText[T ~string](s *recordScan, to *T) bool {
	b, ok := s.Bytes()
	*to = T(b)
	return ok
}

func scanInt(s *recordScan, to *int) bool {
	b, ok := s.Integer()
	if !ok {
		return false
	}
	n, err := strconv.Atoi(string(b))
	*to = n
	return err == nil
}

func (s *recordScan) number(to *float64) bool {
	b, ok := s.Number()
	if !ok {
		return false
	}
	x, err := strconv.ParseFloat(string(b), 64)
	*to = x
	return err == nil
}

func (s *recordScan) truth(to *bool) bool {
	*to = s.Word("true")
	return *to || s.Word("false")
}

func (s *recordScan) order(to *[]string) bool {
	*to = nil
	if s.Word("null") { // nothing was shown
		return true
	}
	order := make([]string, 0, 2)
	ok := s.Array(func() bool {
		order = append(order, "")
		return scanText(s, &order[len(order)-1])
	})
	*to = order
	return ok
}

func (s *recordScan) replies(to *[]Reply) bool {
	if *to != nil {
		return false // the key came before: encoding/json mixes the two
	}
	if s.Word("null") {
		return true
	}
	replies := make([]Reply, 0, 1)
	ok := s.Array(func() bool {
		replies = append(replies, Reply{})
		return s.reply(&replies[len(replies)-1])
	})
	*to = replies
	return ok
}

func (s *recordScan) reply(to *Reply) bool {
	return s.Object(func(key []byte) bool {
		read := replyKeys[string(key)]
		return read != nil && read(s, to)
	})
}

// nested reads what few records have.
func (s *recordScan) nested(to any) bool {
	b, ok := s.Value()
	return ok && json.Unmarshal(b, to) == nil
}
