package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"gavel/judging"
)

// signed is a judge whose replies have a model and a system fingerprint of their own.
func signed(t *testing.T, sign func(call int64) (model, fingerprint string)) *judge {
	t.Helper()
	j := newJudge(t, false, prefersLonger)
	inner := j.Config.Handler
	var calls atomic.Int64
	j.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/completions") {
			inner.ServeHTTP(w, r)
			return
		}
		said := httptest.NewRecorder()
		inner.ServeHTTP(said, r)
		var reply map[string]any
		if err := json.Unmarshal(said.Body.Bytes(), &reply); err != nil {
			t.Error(err)
		}
		reply["model"], reply["system_fingerprint"] = sign(calls.Add(1))
		json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(j.Close)
	return j
}

// TestAnotherFingerprintInMidRun: replies that came with another system fingerprint are no part of the run, nor is it gone on
// with while the server tells it.
func TestAnotherFingerprintInMidRun(t *testing.T) {
	home(t)
	var second atomic.Bool
	j := signed(t, func(call int64) (string, string) {
		if second.Load() || call == 21 {
			second.Store(true)
			return "tiny", "fp_b"
		}
		return "tiny", "fp_a"
	})
	run := func(out string, more ...string) (stdout, stderr string, code int) {
		args := []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--concurrency", "1", "--out", out}
		return call(t, append(args, more...)...)
	}
	for range 2 { // seen, and gone on with
		stdout, stderr, code := run("r")
		const said = `now: it was system_fingerprint "fp_a", and it is system_fingerprint "fp_b"`
		if code != exitIncomplete || !strings.Contains(stderr, said) || !strings.Contains(stderr, "44 of 64 judgments are left") {
			t.Errorf("exit status %d\n%s", code, stderr)
		}
		if !strings.Contains(stdout, "changed to another system, perhaps with another model") {
			t.Errorf("the table says nothing of it:\n%s", stdout)
		}
		for _, r := range records(t, "r") {
			if r.Outcome != judging.Failed && r.Replies[0].SystemFingerprint != "fp_a" {
				t.Errorf("%s %d has a reply of %q", r.Item, r.Presentation, r.Replies[0].SystemFingerprint)
			}
		}
	}
	if m, err := judging.ReadManifest("r"); err != nil || len(m.Changes) != 2 || m.Status != judging.Incomplete {
		t.Errorf("run.json: %+v, %v", m, err)
	}
	stdout, _, code := run("fresh") // half of it from the cache of the first
	if code != exitOK || !strings.Contains(stdout, `"fp_b" in 44, "fp_a" in 20 of 64 replies`) {
		t.Errorf("exit status %d, and the table does not name both:\n%s", code, stdout)
	}
	if stdout, _, code := run("anew", "--no-cache"); code != exitOK || strings.Contains(stdout, "fingerprint") {
		t.Errorf("as the table proposes: exit status %d\n%s", code, stdout)
	}
	second.Store(false)
	if stdout, stderr, code := run("r"); code != exitOK || len(records(t, "r")) != 64 {
		t.Errorf("the first again: exit status %d\n%s%s", code, stdout, stderr)
	}
}

// TestFingerprintsOfAPool: each server of a pool has its own, and only that of which it changes is out.
func TestFingerprintsOfAPool(t *testing.T) {
	home(t)
	a := signed(t, func(int64) (string, string) { return "tiny", "fp_a" })
	b := signed(t, func(call int64) (string, string) {
		if call > 5 {
			return "tiny", "fp_c"
		}
		return "tiny", "fp_b"
	})
	stdout, stderr, code := call(t, "run", "pairwise", "--base-url", a.URL, "--base-url", b.URL, "--dataset", "sample", "--out", "r",
		"--concurrency", "4") // two before each: replies of the first five requests come before those of later ones
	if code != exitOK || !strings.Contains(stderr, `it was system_fingerprint "fp_b", and it is system_fingerprint "fp_c"`) {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if strings.Contains(stdout, "different system fingerprints") || !strings.Contains(stdout, "the server at "+b.URL) {
		t.Errorf("the table:\n%s", stdout)
	}
	for _, r := range records(t, "r") {
		if one := r.Replies[0]; one.SystemFingerprint != "fp_a" && (one.Endpoint != b.URL+"/v1" || one.SystemFingerprint != "fp_b") {
			t.Errorf("%s %d: %q of %s", r.Item, r.Presentation, one.SystemFingerprint, one.Endpoint)
		}
	}
}

// TestReplyOfAnotherModel: that replies name another model than was asked for is said while the run is made, in its table and
// its records; a fingerprint that is new for each reply is no sign.
func TestReplyOfAnotherModel(t *testing.T) {
	home(t)
	for model, another := range map[string]bool{"large": true, "tiny": false, "tiny-2026-01-02": false, "models/Tiny.gguf": false} {
		out := strings.NewReplacer("/", "", ".", "").Replace(model)
		j := signed(t, func(call int64) (string, string) { return model, "fp_" + strings.Repeat("x", int(call)) })
		stdout, stderr, code := call(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--no-cache", "--out", out)
		if code != exitOK {
			t.Errorf("%s: exit status %d\n%s", model, code, stderr)
		}
		early := strings.Count(stderr, `asked for the model "tiny", the server says that "large" answers`)
		table := strings.Contains(stdout, `replies name another model than "tiny", which was asked for: "large" in 64 of 64 replies`)
		if want := map[bool]int{true: 1}[another]; early != want || table != another {
			t.Errorf("%s: said %d times; in the table %t\n%s%s", model, early, table, stderr, stdout)
		}
		if strings.Contains(stdout, "fingerprint") {
			t.Errorf("%s: the table speaks of fingerprints that are new each time:\n%s", model, stdout)
		}
		if r := records(t, out)[0]; r.Replies[0].Model != map[bool]string{true: model}[model != "tiny"] {
			t.Errorf("the record of %s names %q", model, r.Replies[0].Model)
		}
	}
}
