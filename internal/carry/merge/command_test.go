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

// pasted runs the one command that a merge has told, which needs no quotes, and gives the folder that it names.
func pasted(t *testing.T, notes *told) (out string) {
	t.Helper()
	var commands []string
	for _, said := range notes.said {
		if _, line, is := strings.Cut(said, "  gavel run "); is {
			commands = append(commands, line)
		}
	}
	if len(commands) != 1 || strings.Contains(commands[0], "'") {
		t.Fatalf("commands: %q", commands)
	}
	words := strings.Fields(commands[0])
	p, err := judging.ProtocolNamed(words[0])
	check(t, err)
	values := map[string][]string{}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		name, value := strings.TrimPrefix(words[0], "--"), "true"
		if f, _ := eval.FieldNamed(p, name); f.Kind != eval.Switch {
			words = words[1:]
			value = words[0]
		}
		values[name] = append(values[name], value)
	}
	r, err := eval.Read(p, values)
	check(t, err)
	e, _ := maker()
	if _, err := e.Run(context.Background(), r); err != nil {
		t.Fatalf("gavel run %s: %v", commands[0], err)
	}
	return r.Out
}

// TestTheCommandOfAShardMakesIt: pasted, the command that a merge tells makes the shard that is missing, or was cut short,
// and the merge is the run that nobody split.
func TestTheCommandOfAShardMakesIt(t *testing.T) {
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
			for i := range 3 {
				parts = append(parts, run(t, e, fields[0], append(fields[1:len(fields):len(fields)], fmt.Sprintf("shard=%d/3", i+1))...))
			}
			merged := func(out string, parts ...string) error {
				notes.said = nil
				return join(e, out, parts)
			}
			cutShort(t, parts[1])
			if err := merged("cut", parts...); !errors.Is(err, eval.ErrIncomplete) || pasted(t, notes) != parts[1] {
				t.Fatalf("cut short: %v, %s", err, notes)
			}
			check(t, merged("cut", parts...))
			sameRun(t, whole, "cut")
			check(t, os.RemoveAll(parts[1]))
			if err := merged("missing", parts[0], parts[2]); !errors.Is(err, eval.ErrIncomplete) {
				t.Fatal(err)
			}
			if name == "no stages" {
				if pasted(t, notes) != parts[1] {
					t.Errorf("it made another shard: %s", notes)
				}
				check(t, merged("missing", parts...))
			} else if !strings.Contains(notes.String(), "the command of "+parts[0]+", with --shard 2/3") {
				t.Error(notes)
			}
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
		r, err := eval.Read(p, values)
		check(t, err)
		if _, err := e.Run(context.Background(), r); !errors.Is(err, eval.ErrUsage) || !strings.Contains(err.Error(), "has the answers of shard 1/3, but this is shard 2/3") {
			t.Errorf("--%s of another shard: %v", field, err)
		}
	}

	check(t, join(e, "out", parts))
}
