package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// asBatch answers the input of a batch as "vllm run-batch" does, and counts the requests. reply gives the content and
// the status of the answer to the last message.
func asBatch(t *testing.T, in, out string, reply func(n int, user string) (string, int)) int {
	t.Helper()
	var lines []string
	for n, line := range strings.Split(strings.TrimSpace(read(t, in)), "\n") {
		var asked struct {
			CustomID string `json:"custom_id"`
			Method   string
			URL      string
			Body     struct {
				Model       string
				Temperature *float64
				Messages    []struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(line), &asked); err != nil {
			t.Fatalf("%s:%d: %v", in, n+1, err)
		}
		b := asked.Body
		if asked.Method != "POST" || asked.URL != "/v1/chat/completions" || b.Model != "m" || b.Temperature == nil || *b.Temperature != 0 {
			t.Errorf("%s:%d: %s", in, n+1, line)
		}
		content, status := reply(n, b.Messages[len(b.Messages)-1].Content)
		if status != 200 {
			lines = append(lines, fmt.Sprintf(`{"id":"v","custom_id":%q,"response":{"status_code":%d,"request_id":"r","body":null},`+
				`"error":{"error":{"message":%q,"code":%d}}}`, asked.CustomID, status, content, status))
			continue
		}
		lines = append(lines, fmt.Sprintf(`{"id":"v","custom_id":%q,"response":{"status_code":200,"request_id":"r","body":{"model":"m","choices":`+
			`[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],"usage":{"prompt_tokens":900,"completion_tokens":5}}},"error":null}`,
			asked.CustomID, content))
	}
	if err := os.WriteFile(out, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return len(lines)
}

// TestBatch: a run goes out and comes in as often as there are turns, and what a batch lost is asked for again.
func TestBatch(t *testing.T) {
	home(t)
	args := []string{"run", "pairwise", "--model", "m", "--dataset", "sample", "--limit", "3", "--out", "r"}
	ends(t, 0, "6 requests written to 1.jsonl … gavel run pairwise --model m --dataset sample --limit 3 --out r --backend auto --batch-in replies.jsonl", append(args, "--batch-out", "1.jsonl")...)
	first := read(t, "1.jsonl")
	mustCall(t, append(args, "--batch-out", "again.jsonl")...)
	if read(t, "again.jsonl") != first {
		t.Error("the same command writes another file")
	}
	n := asBatch(t, "1.jsonl", "1.out", func(n int, user string) (string, int) {
		switch n {
		case 0:
			return "the engine died", 500
		case 1:
			return "I cannot decide.", 200 // another turn follows
		case 2:
			return "This model's maximum context length is 100 tokens. However, you requested more.", 400
		}
		return "[[A>B]]", 200
	})
	if n != 6 {
		t.Fatalf("%d requests", n)
	}
	lines := strings.SplitAfter(read(t, "1.out"), "\n")
	odd := "\ufeff" + strings.Join(lines, "") + lines[3] + `{"custom_id":"other","response":{"status_code":200,"body":{}}}` + "\n" + `{"custom_id":"cut`
	if err := os.WriteFile("1.out", []byte(odd), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, code := call(t, append(args, "--batch-in", "1.out", "--batch-out", "2.jsonl")...)
	for _, want := range []string{
		"1.out:7: a second reply to gavel-", "1.out:9: no line of a batch's output", "2 requests written to 2.jsonl",
		"the batch answered 5 requests, 2 are missing (1 failed, the last with: HTTP 500: the engine died); 1 of its replies were not asked for",
		"2 of 6 judgments failed or are missing",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if code != exitIncomplete {
		t.Errorf("exit status %d\n%s", code, said)
	}
	outcomes := map[judging.Outcome]int{}
	for _, r := range records(t, "r") {
		outcomes[r.Outcome]++
	}
	if outcomes[judging.Decided] != 3 || outcomes[judging.TooLong] != 1 || len(outcomes) != 2 {
		t.Errorf("%v", outcomes)
	}
	turns := 0
	asBatch(t, "2.jsonl", "2.out", func(_ int, user string) (string, int) {
		if !strings.HasPrefix(user, "<|User Prompt|>") {
			turns++
		}
		return "[[B>A]]", 200
	})
	if turns != 1 {
		t.Errorf("%d requests go on with a conversation, want 1", turns)
	}
	ends(t, exitIncomplete, "prompt", append(args, "--batch-in", "2.out")...)
	all := records(t, "r")
	_, said, _ = call(t, append(args, "--batch-in", "2.out")...)
	if len(all) != 6 || !strings.Contains(said, "all 6 judgments are in r already") {
		t.Errorf("%d records\n%s", len(all), said)
	}
}

// TestBatchOfAnEngineThatStopped: replies that are none are asked for in the next batch, and waited for by nobody.
func TestBatchOfAnEngineThatStopped(t *testing.T) {
	home(t)
	args := []string{"run", "pairwise", "--model", "m", "--dataset", "sample", "--limit", "2", "--out", "r"}
	mustCall(t, append(args, "--batch-out", "1.jsonl")...)
	asBatch(t, "1.jsonl", "1.out", func(int, string) (string, int) { return "[[A>B]]", 200 })
	aborted := strings.Replace(read(t, "1.out"), `"finish_reason":"stop"`, `"finish_reason":"abort"`, 1)
	lines := strings.SplitAfter(aborted, "\n")
	lines[1] = strings.Replace(lines[1], `{"status_code":200,"request_id":"r","body":`, // as vLLM says of a wrong request
		`{"status_code":400,"body":{"error":{"message":"Grammar error"}},"was":`, 1)
	write(t, "1.out", strings.Join(lines, ""))
	begun := time.Now()
	_, said, _ := call(t, append(args, "--batch-in", "1.out", "--batch-out", "2.jsonl")...)
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("it waited %s for replies that stay what they are", took)
	}
	if !strings.Contains(said, "the batch answered 2 requests, 2 are missing (2 failed, the last with: HTTP 400: Grammar error)") {
		t.Error(said)
	}
	if next := read(t, "2.jsonl"); strings.Count(next, "\n") != 2 {
		t.Errorf("the next batch lacks the two: %s", next)
	}
	asBatch(t, "2.jsonl", "2.out", func(int, string) (string, int) { return "[[B>A]]", 200 })
	write(t, "both.out", read(t, "1.out")+read(t, "2.out"))
	if _, said, code := call(t, append(args, "--batch-in", "both.out")...); code != 0 || strings.Count(said, "a second reply to ") != 1 {
		t.Errorf("exit status %d\n%s", code, said)
	}
}

// TestBatchOfTwoSystems: all replies of a batch are taken and all that is missing is written, though its replies came from
// two systems, or name two models; the table warns of it.
func TestBatchOfTwoSystems(t *testing.T) {
	for name, c := range map[string]struct{ first, second, warns string }{
		"fingerprints": {`"m","system_fingerprint":"fp_a"`, `"m","system_fingerprint":"fp_b"`, `"fp_a" in 3, "fp_b" in 3 of 6 replies`},
		"models":       {`"m"`, `"large"`, `another model than "m", which was asked for: "large" in 3 of 6 replies`},
	} {
		home(t)
		args := []string{"run", "pairwise", "--model", "m", "--dataset", "sample", "--limit", "6", "--out", name}
		mustCall(t, append(args, "--batch-out", "1.jsonl")...)
		if n := asBatch(t, "1.jsonl", "1.out", func(int, string) (string, int) { return "[[A>B]]", 200 }); n != 12 {
			t.Fatalf("%d requests", n)
		}
		lines := strings.SplitAfter(read(t, "1.out"), "\n")[:6]
		for i, line := range lines {
			lines[i] = strings.Replace(line, `"m"`, []string{c.first, c.second}[i%2], 1)
		}
		write(t, "1.out", strings.Join(lines, ""))
		table, said, code := call(t, append(args, "--batch-in", "1.out", "--batch-out", "2.jsonl")...)
		if code != exitIncomplete || !strings.Contains(said, "6 requests written to 2.jsonl") || len(records(t, name)) != 6 ||
			!strings.Contains(table, c.warns) {
			t.Errorf("%s: exit status %d, %d records\n%s%s", name, code, len(records(t, name)), said, table)
		}
	}
}

// TestBatchWrong: what a batch cannot do is refused before anything is written.
func TestBatchWrong(t *testing.T) {
	home(t)
	for _, c := range map[string]struct{ args, said string }{
		"no model":   {"--batch-out f", "--model is missing"},
		"a server":   {"--model m --batch-out f --base-url http://h", "--base-url names a server"},
		"simulation": {"--model coin --batch-out f --backend sim", "--backend sim has no batches"},
		"no cache":   {"--model m --batch-out f --no-cache", "--no-cache forgets"},
		"ask again":  {"--model m --batch-out f --ask-again", "--ask-again passes over"},
		"repeat":     {"--model m --batch-out f --repeat 2", "--repeat"},
		"until":      {"--model m --batch-out f --until strict>=60", "--until"},
		"dry run":    {"--model m --batch-out f --dry-run", "--dry-run asks nothing"},
		"same file":  {"--model m --batch-out f --batch-in f", "name another file"},
		"no file":    {"--model m --batch-in nowhere.jsonl", "nowhere.jsonl"},
	} {
		args := append([]string{"run", "pairwise", "--dataset", "sample"}, strings.Fields(c.args)...)
		ends(t, anyFailure, c.said, args...)
	}
	if _, err := os.Stat("f"); err == nil {
		t.Error("a file was written")
	}
}
