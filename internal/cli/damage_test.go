package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/internal/trials"
	"gavel/judging"
)

// TestDamagedCache: whatever is wrong with the folder of the cache, a run ends
// well or with a sentence, and no verdict comes from a damaged value: each is
// what the judge said then, or what it says now that it is asked again.
//
// Each run is a process of its own: a fault in a memory map would end the tests.
func TestDamagedCache(t *testing.T) {
	home(t)
	faultDataset(t)
	const then, now = "My verdict: [[A>B]]", "I see it otherwise now: [[B>A]]"
	answer := then
	j := newJudge(t, false, func(call int64, _ string) (int, string) {
		if answer == then && call%4 == 0 { // too long to stand beside its key: it goes to the value log
			noise := make([]byte, 300<<10)
			rand.NewChaCha8([32]byte{byte(call)}).Read(noise)
			return 200, fmt.Sprintf("%x %s", noise, then)
		}
		return 200, answer
	})
	command := func(cache, out string) []string {
		return []string{"run", "pairwise", "--base-url", j.URL, "--dataset", "faults.jsonl", "--concurrency", "1", "--cache", cache, "--out", out}
	}
	for i := range 2 { // closing writes a table each time
		args := append(command("sound", fmt.Sprint("before", i)), "--limit", fmt.Sprint(faultItems/2*(i+1)))
		if out, err := process(t, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	answer = now
	files, err := os.ReadDir("sound")
	if err != nil {
		t.Fatal(err)
	}
	if cached := damagedRun(t, command, "sound", then, now); cached != faultJudgments {
		t.Fatalf("%d of %d replies are in the cache", cached, faultJudgments)
	}
	for trial := range trials.TrialCount(8) {
		rng := rand.New(rand.NewPCG(uint64(trial), 7))
		cache := fmt.Sprint("damaged", trial)
		if err := os.CopyFS(cache, os.DirFS("sound")); err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(3) {
			name := files[rng.IntN(len(files))].Name()
			err := change(filepath.Join(cache, name), func(b []byte) []byte {
				position, n := rng.IntN(len(b)+1), 1<<rng.IntN(12)
				end := min(position+n, len(b))
				switch rng.IntN(5) {
				case 0: // bits turn
					for range 1 + rng.IntN(16) {
						if len(b) > 0 {
							b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
						}
					}
				case 1: // a block is zeros
					clear(b[position:end])
				case 2: // a block is gone
					b = slices.Delete(b, position, end)
				case 3: // a block is there twice
					b = slices.Insert(b, position, slices.Clone(b[position:end])...)
				case 4: // the end is missing
					b = b[:position]
				}
				return b
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		damagedRun(t, command, cache, then, now)
		os.RemoveAll(cache)
	}
}

// change rewrites a file. Badger's are mostly holes: what follows the last byte
// that is not 0 is left alone.
func change(path string, f func([]byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := len(b)
	for end > 0 && b[end-1] == 0 {
		end--
	}
	return os.WriteFile(path, f(b[:end]), 0o644)
}

// damagedRun makes a run with a cache, checks where its verdicts come from, and counts those of the cache.
func damagedRun(t *testing.T, command func(cache, out string) []string, cache, then, now string) (cached int) {
	t.Helper()
	out := "run-" + cache
	defer os.RemoveAll(out)
	cmd := process(t, command(cache, out)...)
	var output strings.Builder
	cmd.Stderr = &output
	cmd.Run()
	stderr := output.String()
	for _, word := range []string{"goroutine ", "panic", "SIG", "fault"} {
		if strings.Contains(strings.ReplaceAll(stderr, "faults.jsonl", ""), word) {
			t.Fatalf("not a sentence:\n%.2000s", stderr)
		}
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	switch code := cmd.ProcessState.ExitCode(); code {
	case exitOK:
	case exitError:
		last := lines[len(lines)-1]
		if !strings.HasPrefix(last, "gavel: cache "+cache) || !strings.Contains(last, "remove the folder to start a new one") {
			t.Errorf("what to do is not said: %s", last)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("a run was begun")
		}
		return cached
	default:
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	for _, r := range records(t, out) {
		reply := r.Replies[0]
		want := now
		if reply.Cached {
			cached++
			want = then
		}
		if len(r.Replies) != 1 || !strings.HasSuffix(reply.Text, want) || r.Outcome != judging.Decided || !slices.Contains([]int{len(then), len(now)}, len(reply.Text)) && len(reply.Text) < 600_000 {
			t.Errorf("%s, presentation %d: %s %q", r.Item, r.Presentation, r.Outcome, reply.Text[max(0, len(reply.Text)-200):])
		}
	}
	return cached
}
