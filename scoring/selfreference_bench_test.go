package scoring_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// manyJudgments are the records of MMLU-Pro's 12,032 questions, three agents and
// both modes, with replies of about 1.5 kB.
func manyJudgments(questions int) func(yield func(*judging.Record) bool) {
	const words = "the answer follows from the definition, since the second term cancels and what remains is linear in x; "
	return func(yield func(*judging.Record) bool) {
		rng := rand.New(rand.NewPCG(1, 1))
		word := func(right bool, p float64) string {
			switch x := rng.Float64(); {
			case x < 0.01:
				return ""
			case (x < p) == right:
				return "C"
			}
			return "I"
		}
		for q := range questions {
			group, own := fmt.Sprintf("category %02d", q%14), rng.Float64() < 0.6
			for _, agent := range []string{"Ministral-8B", "Llama-3.1-8B", "Llama-3.1-70B"} {
				right := rng.Float64() < 0.5
				s := judgedAnswer{question: strconv.Itoa(q), agent: agent, group: group, own: own, right: right, cot: word(right, 0.7), self: word(right, 0.8)}
				for _, r := range s.records(bothModes...) {
					r.Replies[0].Text = strings.Repeat(words, 13+rng.IntN(4)) + r.Replies[0].Text
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

// BenchmarkSelfReference reads and scores a whole MMLU-Pro run with 1,000 and
// with 10,000 rounds. peak-RSS-MB is of the whole process, since its start: of
// the first to run it is the benchmark's own (go test -bench SelfReference/1000$).
func BenchmarkSelfReference(b *testing.B) {
	dir := writeRun(b, manifestOf("self-reference", 3*12032), manyJudgments(12032))
	for _, rounds := range []int{1000, 10000} {
		b.Run(strconv.Itoa(rounds), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run, err := scoring.Load(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
				if err != nil {
					b.Fatal(err)
				}
				rep := run.Score(stats.Bootstrap{Rounds: rounds, Level: 0.95, Seed: 1})
				if rep.Items != 3*12032 {
					b.Fatalf("%d judgments", rep.Items)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapInuse)/1e6, "heap-in-use-MB")
			b.ReportMetric(peak(), "peak-RSS-MB")
		})
	}
}

// peak is the most memory that the process has held so far, in MB; 0 where the
// system does not tell.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1000
		}
	}
	return 0
}
