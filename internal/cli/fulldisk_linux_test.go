package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gavel/internal/server"
	"gavel/internal/server/jobs"
	"gavel/internal/trials"
	"gavel/judging"
)

// fullDisks are a disk for runs, one for replies, and a judge in one of whose
// calls something may happen to them.
type fullDisks struct {
	dir           string
	runs, replies *smallDisk
	judge         *judge
	accident      atomic.Pointer[accident]
}

// accident holds a fault of the disks, the call in which it happens (from 1; 0: before all), and how the run ends.
type accident struct {
	name    string
	happens func(f *fullDisks)
	call    int64
	endings []string // how the run ends; nil: it does without
	calls   int64    // in all, until the run is complete
}

// accidents lists the accidents that a run may meet. Where a record or a reply cannot be written it is asked for again.
var accidents = []accident{
	{"runs, before", fullRuns, 0, []string{"writing ", "runs/", noSpace}, 65},
	{"runs, in the middle", fullRuns, 20, []string{"writing ", "runs/", ".jsonl: ", noSpace}, 64}, // what could not be recorded is remembered
	{"no more files for runs, before", noMoreFiles, 0, []string{"cannot make the run's folder", noSpace}, 64},
	{"no more files for runs, in the middle", noMoreFiles, 20, []string{"run.json", noSpace}, 64},
	{"cache, before", fullReplies, 0, []string{"the disk has 0 MiB left", freeSpace}, 64},
	{"cache, in the middle", fullReplies, 20, nil, 64},
	{"both, before", fullBoth, 0, []string{"the disk has 0 MiB left", freeSpace}, 64},
	{"both, in the middle", fullBoth, 20, []string{"records.jsonl", noSpace}, 65}, // one reply could be written nowhere
}

func fullRuns(f *fullDisks)    { f.runs.leave(0) }
func fullReplies(f *fullDisks) { f.replies.leave(0) }
func noMoreFiles(f *fullDisks) { f.runs.noMoreFiles() }
func fullBoth(f *fullDisks) {
	fullRuns(f)
	fullReplies(f)
}

// words returns the messages at the end of a run, with advice if the disk of the runs is full.
func (a accident) words(goOn string) []string {
	if slices.Contains(a.endings, noSpace) {
		return append(slices.Clone(a.endings), goOn)
	}
	return a.endings
}

func newFullDisks(t *testing.T) *fullDisks {
	f := &fullDisks{dir: home(t)}
	f.runs, f.replies = newDisk(t, "runs"), newDisk(t, "replies")
	f.judge = newJudge(t, false, func(call int64, user string) (int, string) {
		if a := f.accident.Load(); a != nil && call == a.call {
			a.happens(f)
		}
		return anything(call, user)
	})
	t.Setenv("XDG_CACHE_HOME", filepath.Join(f.dir, "replies"))
	gavelOnDisk(t, f.run("undisturbed", "--no-cache")...).well()
	return f
}

// run is a command that makes a run, one call after the other: what was answered
// before a call is recorded, and remembered once it is checked.
func (f *fullDisks) run(out string, more ...string) []string {
	return append([]string{"run", "pairwise", "--base-url", f.judge.URL, "--dataset", "sample", "--concurrency", "1", "--out", out}, more...)
}

// meets begins anew, with empty disks, and lets the accident happen when it is time.
func (f *fullDisks) meets(a accident) {
	f.runs.empty()
	f.replies.empty()
	f.judge.calls.Store(0)
	f.accident.Store(&a)
	if a.call == 0 && a.happens != nil {
		a.happens(f)
	}
}

// space is there again, and nothing happens any more.
func (f *fullDisks) freeSpace() {
	f.runs.leave(diskSize)
	f.replies.leave(diskSize)
	f.accident.Store(nil)
}

// wantSame checks that a run came to what an undisturbed one did.
func (f *fullDisks) wantSame(t *testing.T, run string) {
	t.Helper()
	for _, name := range []string{judging.ResultsFile, judging.ItemsFile} {
		if read(t, filepath.Join(run, name)) != read(t, filepath.Join("undisturbed", name)) {
			t.Errorf("%s differs from that of an undisturbed run", filepath.Join(run, name))
		}
	}
}

const (
	noSpace   = "no space left on device"
	makeRoom  = "free space on the disk and run the same command again to go on"
	freeSpace = "free some space"
)

// TestFullDisk: whatever disk is full, and whenever, a run says in one line what
// to do and loses nothing that was paid for. Once there is free space the same command
// goes on, to the end that an undisturbed run comes to.
func TestFullDisk(t *testing.T) {
	if !onOwnDisks(t) {
		return
	}
	f := newFullDisks(t)
	for _, a := range accidents {
		t.Run(a.name, func(t *testing.T) {
			f.meets(a)
			gavelOnDisk(t, f.run("runs/r")...).ends(a.words(makeRoom))
			if a.call > 0 {
				gavelOnDisk(t, "score", "runs/r").well()
			}
			if files, _ := filepath.Glob("runs/r/.*-*"); len(files) > 0 {
				t.Errorf("passing files are left: %q", files)
			}
			f.freeSpace()
			gavelOnDisk(t, f.run("runs/r")...).well()
			f.wantSame(t, "runs/r")
			if n := f.judge.calls.Load(); n > a.calls {
				t.Errorf("%d calls, %d would do", n, a.calls)
			}
			gavelOnDisk(t, "cache", "stats").well()
		})
	}
}

// However little is left for the cache in the middle of a run, the run ends well
// and what was remembered before is found afterwards.
func TestFullDiskCache(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	if !onOwnDisks(t) {
		return
	}
	f := newFullDisks(t)
	for _, left := range []int64{0, 4 << 10, 20 << 10, 3 << 20, 100 << 20} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			f.meets(accident{call: 20, happens: func(f *fullDisks) {
				for recorded("runs/r") < 19 { // what waits for a check is remembered after it
					time.Sleep(10 * time.Millisecond)
				}
				f.replies.leave(left)
			}})
			r := gavelOnDisk(t, f.run("runs/r")...).well()
			if strings.Count(r.stderr, "until there is free space, replies are not stored") != 1 || strings.Contains(r.stderr, "it stays open") != (left < 32<<20) {
				t.Errorf("it says: %s", r.stderr)
			}
			f.freeSpace()
			f.judge.calls.Store(0)
			gavelOnDisk(t, f.run("runs/other")...).well()
			if n := f.judge.calls.Load(); n != 64-19 {
				t.Errorf("%d calls: 19 of 64 replies were remembered", n)
			}
		})
	}
}

// Every command that writes says what to do, and does it once there is free space.
func TestFullDiskCommands(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	if !onOwnDisks(t) {
		return
	}
	f := newFullDisks(t)
	t.Setenv("XDG_DATA_HOME", filepath.Join(f.dir, "runs", "data"))
	gavelOnDisk(t, f.run("ok")...).well()
	gavelOnDisk(t, "export", "judgebench", "ok", "--out", "ok.jsonl").well()
	gavelOnDisk(t, "bundle", "export", "ok", "--out", "ok.tar").well()
	for _, line := range []string{
		"import judgebench ok.jsonl --out runs/i", "export judgebench ok --out runs/e.jsonl", "report ok --out runs/r.html", "bundle export ok --out runs/b.tar",
		"bundle import ok.tar --runs runs/b", "replay ok --out runs/r", "demo --out runs/demo", "run pairwise --backend sim --model right --dataset sample --out runs/sim",
	} {
		for _, left := range []int64{0, 20 << 10} {
			f.runs.empty()
			f.runs.leave(left)
			gavelOnDisk(t, strings.Fields(line)...).fails("writing runs/", noSpace, makeRoom)
			f.runs.leave(diskSize)
			gavelOnDisk(t, strings.Fields(line)...).well()
		}
	}
	f.meets(accident{})
	f.replies.leave(100 << 20)
	gavelOnDisk(t, "cache", "rebuild", "ok").fails("replies/gavel", freeSpace)
	f.replies.leave(0)
	for _, line := range []string{"cache stats", "cache prune --all"} {
		gavelOnDisk(t, strings.Fields(line)...).fails("replies/gavel", freeSpace, "remove the folder")
	}
	f.freeSpace()
	gavelOnDisk(t, "cache", "rebuild", "ok").well()
	gavelOnDisk(t, "bundle", "import", "ok.tar", "--runs", "runs/b").well()
	gavelOnDisk(t, "cache", "prune", "--all").well()
	f.runs.leave(0)
	cmd := exec.Command("sh", "-c", `"$0" score ok > runs/out`, os.Getenv(onDisks))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), makeRoom) {
		t.Errorf("where standard output is full: %v: %s", err, &errs)
	}
}

// A suite ends at the first cell that cannot be written, and goes on with it.
func TestFullDiskSuite(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	if !onOwnDisks(t) {
		return
	}
	f := newFullDisks(t)
	suite := func(out string) string {
		return write(t, "s.yaml", fmt.Sprintf("out: %s\ndefaults: {concurrency: 1, base-url: %s, limit: 8, retry-for: 1ms}\n"+
			"judges: [{model: tiny}]\nconditions: [{protocol: pairwise, dataset: sample, prompt: [sop, direct, cot]}]\n", out, f.judge.URL))
	}
	gavelOnDisk(t, "suite", "run", suite("undisturbed-suite")).well()
	for _, a := range accidents {
		if !slices.Contains([]string{"runs, before", "runs, in the middle", "cache, before"}, a.name) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			f.meets(a)
			file := suite("runs/s")
			r := gavelOnDisk(t, "suite", "run", file)
			r.ends(a.words(makeRoom))
			if strings.Contains(r.stderr, "cell 3 of 3") {
				t.Errorf("it goes on with other cells: %s", r.stderr)
			}
			f.freeSpace()
			gavelOnDisk(t, "suite", "run", file).well()
			for _, prompt := range []string{"sop", "direct", "cot"} {
				cell := "tiny_pairwise_sample_" + prompt + "/results.json"
				if read(t, "runs/s/"+cell) != read(t, "undisturbed-suite/"+cell) {
					t.Errorf("%s differs from that of an undisturbed suite", cell)
				}
			}
		})
	}
}

// serveOnDisk is serve with a process of its own.
func serveOnDisk(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{t: t}
	cmd := exec.Command(os.Getenv(onDisks), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = &s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v\n%.3000s", err, s.stderr.String())
		}
	})
	s.stderr.until("(Ctrl-C ends it)")
	s.url = regexp.MustCompile(`http://[^/]+`).FindString(s.stderr.String())
	return s
}

// A server whose disk is full says so of the job, and stays up. Once there is
// space, starting the same again completes the run.
func TestFullDiskServe(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	if !onOwnDisks(t) {
		return
	}
	f := newFullDisks(t)
	s := serveOnDisk(t, "--base-url", f.judge.URL)
	request := jobRequest(f.judge.URL, "concurrency", "1")
	make := func(t *testing.T) server.JobView {
		t.Helper()
		s.t = t
		v := s.until(s.start(request).ID, ended)
		for _, page := range []string{"/", "/jobs", "/jobs/" + v.Job.ID, "/start", "/healthz"} {
			if status, _ := s.ask("GET", page, nil, nil); status != 200 {
				t.Errorf("%s: %d", page, status)
			}
		}
		return v
	}
	for _, a := range accidents {
		t.Run(a.name, func(t *testing.T) {
			f.meets(a)
			v := make(t)
			if want := map[bool]string{true: jobs.Complete, false: jobs.Failed}[a.endings == nil]; v.Job.State != want {
				t.Errorf("the job: %+v", v.Job)
			}
			for _, w := range a.words("free space on the disk and start the same again to go on") {
				if strings.Count(v.Job.Error, w) != 1 {
					t.Errorf("the job does not say %q once: %s", w, v.Job.Error)
				}
			}
			f.freeSpace()
			if v = make(t); v.Job.State != jobs.Complete {
				t.Errorf("once there is free space: %+v", v.Job)
			}
			f.wantSame(t, filepath.Join("runs", v.Job.Run()))
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				if r := gavelOnDisk(t, "cache", "stats"); r.code == exitOK {
					return // the server has let go of it
				}
			}
			gavelOnDisk(t, "cache", "stats").well()
		})
	}
}
