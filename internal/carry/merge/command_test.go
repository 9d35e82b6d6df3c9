package merge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gavel/internal/eval"
	"gavel/judging"
)

// TestAShardIsMadeAgain: a shard that is missing, or was cut short, is named; made again by its command, with the
// others it is the run that nobody split.
func TestAShardIsMadeAgain(t *testing.T) {
	for name, fields := range map[string][]string{
		"no stages":           {"pairwise", "limit=9"},
		"own answers":         {"pairwise", "limit=9", "self-reference=true"},
		"agents of all kinds": {"self-reference", "dataset=sample-number", "limit=12", "agents=sim:accuracy=0.8,seed=3", "agents=agent.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			agentFile(t)
			e, notes := maker()
			whole := run(t, e, fields[0], fields[1:]...)
			var parts []string
			shard := func(i int) string {
				return run(t, e, fields[0], append(fields[1:len(fields):len(fields)], fmt.Sprintf("shard=%d/3", i))...)
			}
			for i := range 3 {
				parts = append(parts, shard(i+1))
			}
			completed := func(out, reason string, merged ...string) {
				t.Helper()
				notes.texts = nil
				err := join(e, out, merged)
				if want := "shard 2 of 3: " + reason; !errors.Is(err, eval.ErrIncomplete) || !strings.HasPrefix(notes.String(), want) {
					t.Errorf("%v, %s, want %s", err, notes, want)
				}
				if got := shard(2); got != parts[1] {
					t.Errorf("it is made in %s", got)
				}
				check(t, join(e, out, parts))
				sameRun(t, whole, out)
			}
			killRun(t, parts[1])
			m, err := judging.ReadManifest(parts[1])
			check(t, err)
			completed("cut", fmt.Sprintf("%d of %[1]d judgments failed or are missing in %s", m.Judgments, parts[1]), parts...)
			check(t, os.RemoveAll(parts[1]))
			completed("missing", "its folder is missing", parts[0], parts[2])
		})
	}
}

// TestAShardStandsOnItsOwnAnswers: none is made of another shard's answers.
func TestAShardStandsOnItsOwnAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := maker()
	fields := []string{"dataset=sample-number", "agents=sim:accuracy=0.8,seed=3"}
	var parts []string
	for i := range 3 {
		parts = append(parts, run(t, e, "self-reference", append(fields, fmt.Sprintf("shard=%d/3", i+1))...))
	}
	m, err := judging.ReadManifest(parts[0])
	check(t, err)
	p, err := judging.ProtocolNamed("self-reference")
	check(t, err)
	for field, values := range map[string]map[string][]string{
		"own":    {"own": {m.Stages[0].Run}, "agents": {m.Stages[1].Model}},
		"agents": {"agents": {m.Stages[1].Run}},
	} {
		values["backend"], values["model"], values["dataset"], values["shard"] = []string{"sim"}, []string{"accuracy=0.8,first=0.1"}, []string{"sample-number"}, []string{"2/3"}
		values["out"] = []string{"new"}
		r, err := eval.ParseRequest(p, values)
		check(t, err)
		if _, err := e.Run(context.Background(), r); !errors.Is(err, eval.ErrUsage) || !strings.Contains(err.Error(), "has the answers of shard 1/3, but this is shard 2/3") {
			t.Errorf("--%s of another shard: %v", field, err)
		}
	}

	check(t, join(e, "out", parts))
}
