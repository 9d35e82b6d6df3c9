package scoring_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
)

// paidRun writes a run of three pairs whose replies say what they cost, and its folder.
func paidRun(t *testing.T, change func(i int, r *judging.Record)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	m := pairsManifest(3)
	set := judgingtest.Pairs(t, 3)
	var records []*judging.Record
	for i, u := range []twoJudgments{unit("p1", "sums", "A", "A", "A"), unit("p2", "sums", "B", "B", "A"), unit("p3", "sums", "A", "A", "cut")} {
		for k, r := range u.records() {
			r.At = time.UnixMilli(int64(10_000 + 1000*(2*i+k))).UTC()
			reply := &r.Replies[0]
			reply.PromptTokens, reply.ReplyTokens, reply.Milliseconds, reply.CachedTokens = 100, 10, 1500, new(20*k)
			change(2*i+k, r)
			records = append(records, r)
		}
	}
	m.AuxiliaryRequestCounts = map[string]int{"/v1/models": 4, "/props": 3}
	err := judging.WriteRun(dir, m, records, func(line func([]byte) error) error {
		for row := range set.Len() {
			raw, err := set.RawIntoBuffer(nil, row)
			if err == nil {
				err = line(raw)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func ledgerOf(t *testing.T, dir string) *scoring.Ledger {
	t.Helper()
	run, err := scoring.Load(dir, judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if rep := run.Score(quick); rep.Ledger != nil {
		t.Error("the results of a run say what it cost, which is another each time it is made")
	}
	return run.Ledger()
}

// TestLedger adds up by hand. Judgments of 1.5 s begin a second after each other, so that they take 6.5 s together.
func TestLedger(t *testing.T) {
	dir := paidRun(t, func(int, *judging.Record) {})
	l := ledgerOf(t, dir)
	l.ComputeDerivedFields(scoring.MachineRates{Watts: 100, PricePerHour: 36})
	ideal := int(math.Round(600 * treeShare(t, dir)))
	want := scoring.Ledger{Calls: 6, PromptTokens: 600, CachedTokens: new(60), IdealTokens: &ideal, ReplyTokens: 60, Seconds: 6.5, NonJudgmentRequests: 7, DecidedItems: 2, GeneratedTokens: 60,
		RightPerThousandTokens: new(16.666667), Joules: new(650.0), Price: new(.065),
		PerItem: &scoring.CostPerItem{Calls: 3, ReadTokens: 270, ReplyTokens: 30, Seconds: 3.25, Joules: new(325.0), Price: new(.0325)}}
	if got, want := inJSON(t, l), inJSON(t, want); got != want {
		t.Errorf("the ledger is\n%s, want\n%s", got, want)
	}
	if ideal <= 300 || ideal >= 540 {
		t.Errorf("an ideal of %d of 600 tokens shows nothing", ideal)
	}
}

// TestLedgerOfRemembered: what gavel's own cache answered costs nothing, but was written by the judge.
func TestLedgerOfRemembered(t *testing.T) {
	l := ledgerOf(t, paidRun(t, func(i int, r *judging.Record) { r.Replies[0].Cached = i > 0 }))
	if l.Calls != 1 || l.CachedReplies != 5 || l.PromptTokens != 100 || *l.CachedTokens != 0 || *l.IdealTokens != 100 ||
		l.Seconds != 1.5 || l.ReplyTokens != 10 || l.GeneratedTokens != 60 {
		t.Errorf("%s", inJSON(t, l))
	}
	l = ledgerOf(t, paidRun(t, func(_ int, r *judging.Record) { r.Replies[0].Cached, r.Replies[0].CachedTokens = true, nil }))
	if l.Calls != 0 || l.CachedReplies != 6 || l.CachedTokens != nil || l.IdealTokens != nil || l.PerItem != nil {
		t.Errorf("all remembered: %s", inJSON(t, l))
	}
}

// TestLedgerOfThinking: tokens of thinking are those that the server tells, else the share of the bytes; of each
// verdict, of which the six judgments have five.
func TestLedgerOfThinking(t *testing.T) {
	l := ledgerOf(t, paidRun(t, func(i int, r *judging.Record) {
		switch reply := &r.Replies[0]; i {
		case 0:
			reply.Thinking, reply.ThinkTokens = "hm", 7
		case 1:
			reply.Thinking = strings.Repeat("x", 4*len(reply.Text)) // four fifths of ten
		}
	}))
	if l.ThoughtTokens == nil || *l.ThoughtTokens != 15 || *l.ThoughtTokensPerVerdict != 3 {
		t.Errorf("%s", inJSON(t, l))
	}
	if sum := scoring.SumLedgers([]*scoring.Ledger{l, l}); *sum.ThoughtTokens != 30 || *sum.ThoughtTokensPerVerdict != 3 {
		t.Errorf("together %s", inJSON(t, sum))
	}
}

// TestLedgersTogether: the sum of two is one of all their calls; runs that were made by nobody have none.
func TestLedgersTogether(t *testing.T) {
	a, b := ledgerOf(t, paidRun(t, func(int, *judging.Record) {})), ledgerOf(t, paidRun(t, func(_ int, r *judging.Record) { r.Replies[0].CachedTokens = nil }))
	sum := scoring.SumLedgers([]*scoring.Ledger{a, nil, b})
	if sum.Calls != 12 || *sum.CachedTokens != 60 || sum.IdealTokens != nil || sum.Seconds != 13 ||
		*sum.RightPerThousandTokens != 16.666667 || sum.PerItem.Calls != 3 || a.Calls != 6 {
		t.Errorf("%s", inJSON(t, sum))
	}
	if scoring.SumLedgers([]*scoring.Ledger{nil}) != nil || runOf(unit("p", "g", "A", "A", "A")).Ledger() != nil {
		t.Error("a sum of nothing, or a ledger of a run of which nobody tells what it took")
	}
	m := pairsManifest(1)
	load := func() *scoring.Ledger {
		l, err := scoring.NewLoader(m, judging.ReadingOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range unit("p", "g", "A", "A", "A").records() {
			r.Replies[0].ReplyTokens = 7
			if err := l.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		return l.Run().Ledger()
	}
	asked := load()
	m.Simulated = true
	if asked == nil || asked.GeneratedTokens != 14 || load() != nil {
		t.Errorf("asked: %s; or a simulated judge was paid", inJSON(t, asked))
	}
}

func TestRates(t *testing.T) {
	for _, bad := range []scoring.MachineRates{{Watts: -1}, {PricePerHour: math.NaN()}, {Watts: math.Inf(1)}} {
		if bad.Check() == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if err := (scoring.MachineRates{Watts: 300}).Check(); err != nil {
		t.Error(err)
	}
}

// treeShare counts a prefix tree byte by byte.
func treeShare(t *testing.T, dir string) float64 {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	asker, err := judging.AskerOf(m)
	if err != nil {
		t.Fatal(err)
	}
	set, nodes, all := judgingtest.Pairs(t, 3), map[string]bool{}, 0
	for row := range set.Len() {
		item, err := set.Item(row)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range asker.Presentations(item) {
			var text strings.Builder
			for _, m := range judging.FirstTurnMessages(asker.Prompt(item, s), "") {
				text.WriteString(m.Content + "\n")
			}
			for n := range text.Len() {
				nodes[text.String()[:n+1]] = true
			}
			all += text.Len()
		}
	}
	return float64(len(nodes)) / float64(all)
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMemoryOfAPair bounds what a run of many pairs keeps in memory: ids, verdicts, and what servers were sent.
func TestMemoryOfAPair(t *testing.T) {
	const pairs, most = 20_000, 250 // bytes a pair
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	load, err := scoring.NewLoader(pairsManifest(pairs), judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		for _, r := range unit(fmt.Sprintf("%08d-of-a-usual-length", i), "sums", "A", "A", "B").records() {
			r.At = time.UnixMilli(int64(i)).UTC()
			r.Replies[0].PromptTokens = 100
			r.Replies[0].Milliseconds = 1
			if err := load.Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := load.Run()
	if each := (inUse() - before) / pairs; each > most {
		t.Errorf("%d bytes a pair, at most %d", each, most)
	} else {
		t.Logf("%d bytes a pair", each)
	}
	runtime.KeepAlive(run)
}
