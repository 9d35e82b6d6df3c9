package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/internal/trials"
)

// checks lists all checks.
var checks = new(doctor).checks()

// briefly has the load be measured in no time to speak of.
func briefly(t *testing.T) {
	old := waveTime
	waveTime = time.Millisecond
	t.Cleanup(func() { waveTime = old })
}

func (d *Report) find(t *testing.T, check string) Finding {
	t.Helper()
	for _, f := range d.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", check, d.Findings)
	return Finding{}
}

// TestTimeLimit: checks that there was no time for are named, and those before it are as good as ever.
func TestTimeLimit(t *testing.T) {
	briefly(t)
	takesASecond := healthy("llama")
	takesASecond.takes = time.Second
	d := takesASecond.visited(t, Examination{Limit: 10 * time.Second})
	if len(d.UnfinishedChecks) == 0 || len(d.UnfinishedChecks) > len(checks)-4 || d.UnfinishedChecks[len(d.UnfinishedChecks)-1] != "throughput" {
		t.Fatalf("no time for %v", d.UnfinishedChecks)
	}
	for i, f := range d.Findings {
		switch late := slices.Contains(d.UnfinishedChecks, f.Check); {
		case late && (f.Status != Skipped || !strings.Contains(f.Text, "the time limit of 10s was reached")),
			!late && i < 3 && f.Status != OK:
			t.Errorf("%+v", f)
		}
	}
	if verdict := d.Verdict(); !strings.HasPrefix(verdict, fmt.Sprintf("ready so far (checks not made: %d)", len(d.UnfinishedChecks))) ||
		!strings.Contains(verdict, "\nno time for: "+strings.Join(d.UnfinishedChecks, ", ")) || !d.Ready {
		t.Errorf("ready %v, said %q", d.Ready, verdict)
	}
	if d := healthy("llama").visited(t, Examination{Limit: time.Hour}); d.UnfinishedChecks != nil {
		t.Errorf("an hour was not enough for %v", d.UnfinishedChecks)
	}
}

// TestSlowReaderIsMeasured: the over-long prompt of a server that reads slowly and tells no context takes neither the
// time of the checks that a run needs most, nor that of the checks after it.
func TestSlowReaderIsMeasured(t *testing.T) {
	briefly(t)
	p := healthy("other")
	p.context, p.reads, p.serial = 1<<20, 200, true
	d := p.visited(t, Examination{Limit: 2 * time.Minute})
	if f := d.find(t, "speed"); f.Status != OK || d.Speed == nil || f.Value == nil {
		t.Errorf("%+v", f)
	}
	if f := d.find(t, "thinking"); f.Value == nil {
		t.Errorf("%+v", f)
	}
	if f := d.find(t, "over-long prompt"); f.Status != Unknown {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"context", "system role", "constrained output", "logprobs", "throughput"} {
		if slices.Contains(d.UnfinishedChecks, name) {
			t.Errorf("no time for %v", d.UnfinishedChecks)
		}
	}
}

// TestHealthy: nothing to complain of, on every wire format.
func TestHealthy(t *testing.T) {
	briefly(t)
	for _, kind := range []string{"ollama", "llama", "vllm"} {
		t.Run(kind, func(t *testing.T) {
			d := healthy(kind).visited(t, Examination{})
			if err := d.Err(); err != nil || !d.Ready {
				t.Errorf("ready is %v, the error %v", d.Ready, err)
			}
			for _, f := range d.Findings {
				expected := f.Status == OK || kind == "vllm" && f.Check == "model"
				if !expected {
					t.Errorf("%+v", f)
				}
				if (f.Advice == "") != (f.Status == OK || f.Status == Skipped) {
					t.Errorf("what to do stands with what needs doing: %+v", f)
				}
			}
			if len(d.Findings) < len(checks) || d.Speed == nil || len(d.Speed.ByConcurrency) != 2 || d.Speed.ByConcurrency[0].SopPromptEstimate.Hours <= 0 {
				t.Errorf("%d findings, speed %+v", len(d.Findings), d.Speed)
			}
			if wall := kind == "vllm"; (d.Speed.ClockSource == "wall") != wall {
				t.Errorf("timed by the %s", d.Speed.ClockSource)
			}
		})
	}
}

// TestFindings: each illness is found, and only by its own check does it
// end the visit.
func TestFindings(t *testing.T) {
	briefly(t)
	for name, tc := range map[string]struct {
		ill    func(p *patient)
		kinds  []string // all where empty
		role   string
		check  string
		status Status
		text   string
		do     string
	}{
		"cuts in silence":         {ill: func(p *patient) { p.cuts = true }, check: "over-long prompt", status: Fail, text: "is silently truncated"},
		"an old Ollama":           {ill: func(p *patient) { p.cuts = true }, kinds: []string{"ollama"}, check: "over-long prompt", status: Fail, text: "at a context of 1024: the server read 1024", do: "upgrade Ollama to 0.12.6 or later (this is 0.17.4)"},
		"refuses in odd words":    {ill: func(p *patient) { p.oddWords = true }, check: "over-long prompt", status: Warn, text: "HTTP 400: no way"},
		"counts nothing":          {ill: func(p *patient) { p.noUsage = true; p.cuts = true }, check: "over-long prompt", status: Unknown, text: "does not report how much it read"},
		"counts nothing, ever":    {ill: func(p *patient) { p.noUsage = true }, check: "reply", status: Warn, text: "reports no token counts"},
		"passes over constraints": {ill: func(p *patient) { p.free = true }, check: "constrained output", status: Warn, text: "ignored", do: "run without --constrain"},
		"logprobs all the same":   {ill: func(p *patient) { p.free = true }, check: "logprobs", status: OK, text: "returns the probability"},
		"no logprobs":             {ill: func(p *patient) { p.noLogprobs = true }, check: "logprobs", status: Warn, text: "none returned", do: "run without --logprobs"},
		"logprobs of an old one":  {ill: func(p *patient) { p.noLogprobs = true }, kinds: []string{"ollama"}, check: "logprobs", status: Warn, text: "none returned", do: "0.12.11"},
		"refuses a system role":   {ill: func(p *patient) { p.noSystem = true }, check: "system role", status: Fail, text: "refused: HTTP 400: System role not supported", do: "--system-role user"},
		"drops a system message":  {ill: func(p *patient) { p.dropSystem = true }, check: "system role", status: Fail, text: "drops it", do: "--system-role user"},
		"told of the role":        {ill: func(p *patient) { p.noSystem = true }, role: backends.RoleUser, check: "system role", status: Skipped},
		"one at a time":           {ill: func(p *patient) { p.serial = true; p.counts = time.Second }, kinds: []string{"ollama"}, check: "throughput", status: Warn, text: "4 concurrent requests, as a run starts with, are 1.0 times", do: "OLLAMA_NUM_PARALLEL"},
		"all together":            {ill: func(p *patient) { p.counts = 180 * time.Millisecond }, kinds: []string{"ollama", "vllm"}, check: "throughput", status: OK, text: "times as fast as one"},
		"one slot":                {ill: func(p *patient) { p.slots = 1 }, kinds: []string{"llama"}, check: "throughput", status: Warn, text: "one request at a time", do: "-np 4"},
		"thinks when told":        {ill: func(p *patient) { p.thinks = "both" }, check: "thinking", status: OK, text: "with --think off there is none"},
		"thinks whatever":         {ill: func(p *patient) { p.thinks = "always" }, check: "thinking", status: Warn, text: "--think off changes nothing"},
		"context too small":       {ill: func(p *patient) { p.context = 1800 }, kinds: []string{"llama", "vllm"}, check: "context", status: Warn, text: "would be prompt-too-long"},
		"context far too small":   {ill: func(p *patient) { p.context = 900 }, kinds: []string{"llama", "vllm"}, check: "context", status: Fail, text: "mean prompt"},
		"little room":             {ill: func(p *patient) { p.context = 4096 }, kinds: []string{"llama"}, check: "context", status: Warn, text: "for a reply", do: "-np 4 -c"},
		"beyond its training":     {ill: func(p *patient) { p.trained = 8192 }, kinds: []string{"llama"}, check: "context", status: Warn, do: "no more context than the model was trained for"},
		"says no context, cuts":   {ill: func(p *patient) { p.cuts = true }, kinds: []string{"other"}, check: "over-long prompt", status: Fail, text: "a prompt of at least 80000 tokens is silently truncated: the server read 20480"},
		"says no context":         {ill: func(p *patient) {}, kinds: []string{"other"}, check: "over-long prompt", status: OK, text: "a prompt of at least 80000 tokens is refused"},
		"context unknown":         {ill: func(p *patient) {}, kinds: []string{"other"}, check: "context", status: Unknown},
		"answers nothing":         {ill: func(p *patient) { p.fails = 400 }, check: "reply", status: Fail, text: "HTTP 400: out of order"},
		"the rest of that":        {ill: func(p *patient) { p.fails = 400 }, check: "logprobs", status: Skipped, text: "does not answer"},
		"dies on the way":         {ill: func(p *patient) { p.diesAfter = 8 }, check: "throughput", status: Skipped, text: "stopped answering"},
	} {
		kinds := tc.kinds
		if kinds == nil {
			kinds = []string{"ollama", "llama", "vllm"}
		}
		for i, kind := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				if i != len(name)%len(kinds) { // in short one kind finds it, another for each illness
					trials.SkipUnlessSlowTests(t)
				}
				p := healthy(kind)
				tc.ill(p)
				load := slices.ContainsFunc(checks, func(c check) bool { return c.loadsServer && c.name == tc.check })
				d := p.visited(t, Examination{SystemTextRole: tc.role, Quick: !load})
				f := d.find(t, tc.check)
				if f.Status != tc.status || !strings.Contains(f.Text, tc.text) || !strings.Contains(f.Advice, tc.do) {
					t.Errorf("got %+v", f)
				}
				failed := fmt.Sprint(d.Err())
				if tc.status == Fail && (d.Ready || !strings.HasPrefix(failed, "not ready: "+tc.check)) {
					t.Errorf("ready is %v, the error %s", d.Ready, failed)
				}
				if tc.text == "stopped answering" && d.Ready {
					t.Error("a server that died is ready")
				}
				if tc.status == Warn && !d.Ready {
					t.Errorf("after a warning %q failed", failed)
				}
				for _, c := range checks { // nothing stops the others from being made
					d.find(t, c.name)
				}
			})
		}
	}
}

// TestText: all that people read, to the byte.
func TestText(t *testing.T) {
	for _, kind := range []string{"llama", "ollama"} {
		t.Run(kind, func(t *testing.T) {
			p := healthy(kind)
			p.context, p.free, p.noSystem, p.thinks = 4096, true, true, "always"
			url, client := p.start(t)
			d := looked(t, t.Context(), url, client, Examination{Quick: true})
			var out strings.Builder
			if err := d.Document().Text(&out, 80, false); err != nil {
				t.Fatal(err)
			}
			if err := d.Err(); err == nil || err.Error() != "not ready: system role" {
				t.Errorf("ended with %v", err)
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if n := len([]rune(line)); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			golden.Assert(t, strings.ReplaceAll(out.String(), url, "http://127.0.0.1:8080"), kind+".txt")
		})
	}
}

// TestVerdict: how many findings there are to mind, and that a failure is said first.
func TestVerdict(t *testing.T) {
	all := []Finding{{Status: Skipped}, {Status: OK}, {Status: Warn}, {Status: Unknown}}
	for n, want := range map[int]string{2: "ready", 3: "ready; read one finding above", 4: "ready; read 2 findings above"} {
		if got := (&Report{Findings: all[:n], Ready: true}).Verdict(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (&Report{Findings: all}).Verdict(); got != "not ready: see what failed above" {
		t.Errorf("got %q", got)
	}
}

// TestEstimate: the sum, worked by hand.
func TestEstimate(t *testing.T) {
	d := &doctor{promptBytesPerToken: 4}
	p := d.newServerSpeed(2, 1000, 100)
	// sop: 6975/4 = 1744 tokens to read in 1.744 s, 600 to write in 6 s: 7.744 s each, 700 of them take 1.506 h.
	if got := fmt.Sprintf("%.4f %.3f", p.SopPromptEstimate.PerSecond, p.SopPromptEstimate.Hours); got != "0.1291 1.506" {
		t.Errorf("sop: %s", got)
	}
	// direct: 5872/4 = 1468 tokens in 1.468 s, 8 in 0.08 s: 1.548 s.
	if got := fmt.Sprintf("%.4f %.3f", p.DirectPromptEstimate.PerSecond, p.DirectPromptEstimate.Hours); got != "0.6460 0.301" {
		t.Errorf("direct: %s", got)
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("x"), false},
		{context.DeadlineExceeded, false},
		{&backends.Error{Kind: backends.ErrorBadRequest, Status: 400}, true},
		{&backends.Error{Kind: backends.ErrorServer, Status: 500}, true},
		{&backends.Error{Kind: backends.ErrorServer, Status: 502}, false},
		{&backends.Error{Kind: backends.ErrorBusy, Status: 503}, false},
		{&backends.Error{Kind: backends.ErrorTransport}, false},
	} {
		if got := isRejected(tc.err); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
}

// TestEstimateCountsCalls: what a request takes beside its tokens is part of what a run takes. Of a server that answers
// each request after a second and a half, however short it is, JudgeBench's 700 judgments take 17 minutes one at a
// time.
func TestEstimateCountsCalls(t *testing.T) {
	old := waveTime
	waveTime = 3 * time.Second // half of which every question takes
	t.Cleanup(func() { waveTime = old })
	for _, kind := range []string{"ollama", "llama", "vllm"} {
		for _, quick := range []bool{true, false} {
			p := healthy(kind)
			p.takes = 1500 * time.Millisecond
			d := p.visited(t, Examination{Quick: quick})
			for i, pace := range d.Speed.ByConcurrency {
				minHours := 700 * 1.5 / 3600 / float64(pace.Concurrency)
				if pace.DirectPromptEstimate.Hours < minHours || pace.SopPromptEstimate.Hours < pace.DirectPromptEstimate.Hours || i == 0 && pace.DirectPromptEstimate.Hours > 6*minHours {
					t.Errorf("%s, quick %t: %d at once take %.2f h (direct) and %.2f h (sop), at least %.2f; %g s a call", kind, quick, pace.Concurrency, pace.DirectPromptEstimate.Hours, pace.SopPromptEstimate.Hours, minHours, d.Speed.RequestOverhead)
				}
			}
		}
	}
}
