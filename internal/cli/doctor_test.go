package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/doctor"
	"gavel/internal/eval"
)

// TestDoctorPrints: a table for people or JSON for programs, and what failed on
// stderr and in the exit status. What it finds is tested in package doctor.
func TestDoctorPrints(t *testing.T) {
	home(t)
	url := newJudge(t, false, func(_ int64, user string) (int, string) {
		if strings.HasPrefix(user, "word word") {
			return http.StatusBadRequest, `{"error":{"message":"the input length exceeds the context length"}}`
		}
		return http.StatusOK, "Yes." // counts 5000 tokens whatever it is sent: a system message seems to be left out
	}).URL
	stdout, stderr, code := call(t, "doctor", "--quick", "--base-url", url)
	if code != exitError || !strings.HasSuffix(stderr, "gavel: not ready: system role\n") || !strings.Contains(stderr, "\n 3/12 reply\n") {
		t.Errorf("exit status %d, said %q", code, stderr)
	}
	if !strings.HasPrefix(stdout, "          check ") || !strings.HasSuffix(stdout, "\nnot ready: see what failed above\n") {
		t.Errorf("printed %q", stdout)
	}
	stdout, _, code = call(t, "doctor", "--quick", "--json", "--system-role", "user", "--base-url", url)
	var found doctor.Report
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != exitOK || !found.Ready || found.Findings[5].Status != doctor.Skipped {
		t.Errorf("exit status %d, %v in %s", code, err, stdout)
	}
}

// TestDoctorRefusals: what is no server, no model or no command line.
func TestDoctorRefusals(t *testing.T) {
	home(t)
	const dead = "http://127.0.0.1:1" // no server has that port, and none is given it
	url := newJudge(t, false, anything).URL
	for _, tc := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"dead endpoint", []string{"--base-url", dead}, exitError, "no server answers at " + dead},
		{"unknown model", []string{"--base-url", url, "--model", "huge"}, exitError, `unknown model "huge"`},
		{"another kind of server", []string{"--base-url", url, "--backend", "ollama"}, exitError, "use --backend openai"},
		{"simulated", []string{"--backend", "sim", "--model", "coin"}, exitUsage, "nothing to test"},
		{"no time", []string{"--base-url", url, "--timeout", "0s"}, exitUsage, "--timeout 0s"},
		{"no role", []string{"--base-url", url, "--system-role", "judge"}, exitUsage, "--system-role"},
		{"argument", []string{"--base-url", url, "tiny"}, exitUsage, `unexpected argument "tiny"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"doctor"}, tc.args...)...)
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			if code != tc.code || stdout != "" || !strings.Contains(lines[len(lines)-1], tc.said) || strings.Count(stderr, "gavel: ") != 1 {
				t.Errorf("exit status %d, said %q, printed %q", code, stderr, stdout)
			}
		})
	}
}

// TestDoctorInterrupted: Ctrl-C ends it, and nothing half is printed.
func TestDoctorInterrupted(t *testing.T) {
	home(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	j := newJudge(t, false, func(call int64, user string) (int, string) {
		if call == 8 {
			cancel(eval.ErrInterrupted)
		}
		return anything(call, user)
	})
	var stdout, stderr bytes.Buffer
	code := gavel(ctx, nil, &stdout, &stderr, []string{"doctor", "--base-url", j.URL})
	if code != exitInterrupted || stdout.Len() > 0 {
		t.Errorf("exit status %d, printed %q, said %q", code, stdout.String(), stderr.String())
	}
}

// TestDoctorLeavesTheCacheAlone: it asks anew, and remembers nothing.
func TestDoctorLeavesTheCacheAlone(t *testing.T) {
	dir := home(t)
	j := newJudge(t, false, anything)
	var asked [2]int64
	for i := range asked {
		call(t, "doctor", "--quick", "--base-url", j.URL)
		asked[i] = j.calls.Load()
	}
	if asked[0] == 0 || asked[1] != 2*asked[0] {
		t.Errorf("%d questions, and %d after a second visit", asked[0], asked[1])
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "cache", "gavel", "*")); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
