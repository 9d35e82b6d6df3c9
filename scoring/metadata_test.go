package scoring_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

func metadataOf(m *judging.Manifest) string {
	var lines []string
	for _, f := range scoring.Metadata(m) {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return strings.Join(lines, "\n")
}

func TestMetadata(t *testing.T) {
	m := judging.NewManifest("0.1.0-dev", judging.Spec{
		Protocol: "multi-option", Goal: "best", Prompt: judging.Template{Name: "2", SHA256: strings.Repeat("ab", 32)}, ProtocolOptions: judging.Settings{"unrelated": "true"},
		Dataset: judging.DatasetSpec{SHA256: strings.Repeat("cd", 32), Items: 100}, Model: judging.ModelSpec{Name: "qwen3:8b", Identity: "ollama:500a1f067a9f"},
		Parameters: judging.Parameters{TopP: 1, Seed: 7, MaxTokens: 64, NumCtx: 8192, Constrain: true, NumRepetitions: 3},
	})
	m.Model = backends.Model{Parameters: "8.2B", Quantisation: "Q4_K_M"}
	m.Server = backends.ServerInfo{WireFormat: "ollama", Name: "Ollama", Version: "0.17.4", URL: "http://user:secret@10.0.0.7:11434"}
	m.Servers = []backends.ServerInfo{m.Server, m.Server}
	m.Dataset = judging.DatasetInfo{Name: "oasst1", Rows: 3482, Skipped: 2, Sample: 100, Seed: 5}
	m.Stages = []judging.StageRun{{Role: "agent", Run: "runs/x", ID: "0123456789abcdef", Model: "llama3.1:8b"}}
	m.Started, m.Status = time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)), judging.Complete
	want := fmt.Sprintf(`model: qwen3:8b
parameters: 8.2B
quantisation: Q4_K_M
identity: ollama:500a1f067a9f
server: Ollama 0.17.4 (2 endpoints)
protocol: multi-option
goal: best
prompt: 2 (SHA-256 abababababab)
unrelated: true
dataset: oasst1
items: 100 of 3482, drawn with seed 5; 2 lines could not be read
dataset file: SHA-256 cdcdcdcdcdcd
temperature: 0
top_p: 1
seed: 7
max tokens: 64
context asked for: 8192
verdict held to the labels: yes
asked: 3 times
agent's answers: llama3.1:8b (run 0123456789ab)
started: 2026-01-02 03:04:05 UTC
status: complete
made by: gavel 0.1.0-dev
run: %s`, m.ID[:12])
	if got := metadataOf(m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A page travels: nobody's address or password goes with it.
func TestMetadataTellsNoAddress(t *testing.T) {
	m := &judging.Manifest{ID: "x", Server: backends.ServerInfo{WireFormat: "openai", URL: "http://user:secret@10.0.0.7"}}
	if got := metadataOf(m); strings.Contains(got, "10.0.0.7") || strings.Contains(got, "secret") || !strings.Contains(got, "server: openai\n") {
		t.Errorf("facts: %s", got)
	}
}
