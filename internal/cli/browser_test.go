package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gavel/judging"
)

// These tests look at the pages of `gavel serve` in Chromium, which
// scripts/browser.sh gets:
//
//	scripts/browser.sh
//
// GAVEL_CHROMIUM     the browser's command; without it they are left out
// GAVEL_AXE          axe-core's axe.min.js; without it that part is left out
// GAVEL_SCREENSHOTS  a folder for pictures of every page they come by
// GAVEL_LLAMA_URL    llama.cpp's server, see scripts/servers.sh: it judges too

// favoursFirst is a judge that mostly takes what it is shown first, at length.
func favoursFirst(call int64, user string) (int, string) {
	if status, words := anything(call, user); !strings.Contains(user, "<|The Start of Assistant A's Answer|>") {
		return status, words
	}
	if len(user)%3 == 0 {
		return prefersLonger(call, user)
	}
	return http.StatusOK, "## Evaluation\n\n- **A** is clear, see `f(x)`\n- B is [less so](https://example.org/)\n\n| | A | B |\n|-|-|-|\n| clear | yes | no |\n\nMy final verdict is: [[A>B]]"
}

// shelf makes runs of several protocols in a folder.
func shelf(t *testing.T) {
	t.Helper()
	j := newJudge(t, false, favoursFirst)
	for _, line := range []string{
		"run pairwise --base-url " + j.URL + " --dataset sample --limit 12 --out runs/pairs",
		"run pairwise --backend sim --model accuracy=0.8,first=0.3 --dataset sample --limit 12 --out runs/simulated",
		"run reversed --backend sim --model accuracy=0.9 --dataset sample --limit 12 --repeat 2 --out runs/reversed",
		"run answer --backend sim --model accuracy=0.6 --dataset sample-choice --out runs/answers",
		"run multi-option --backend sim --model accuracy=0.7,first=0.2 --dataset sample-options --out runs/options",
		"run self-reference --base-url " + j.URL + " --dataset sample-number --sample 4 --agents sim:coin --out runs/deep/self-reference",
	} {
		mustCall(t, strings.Fields(line)...)
	}
	write(t, "runs/damaged/run.json", `{"schema": 99`)
	write(t, "suite.yaml", "name: ablation\njudges:\n  - {model: right, backend: sim}\n  - {model: 'accuracy=0.7,first=0.2', backend: sim, name: middling}\n  - {model: coin, backend: sim}\nconditions:\n  - {protocol: [pairwise, reversed], dataset: sample, limit: 12}\n  - {protocol: multi-option, dataset: sample-options, limit: 5, goal: [best, worst]}\n")
	mustCall(t, "suite", "run", "suite.yaml")
}

// TestBrowserHeadlineBesideDatasets: the names of many datasets leave room for the headline.
func TestBrowserHeadlineBesideDatasets(t *testing.T) {
	browser := chromium(t)
	home(t)
	for i := range 4 {
		name := fmt.Sprintf("a-dataset-with-a-long-name-%d", i)
		out := "runs/" + name
		mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--limit", fmt.Sprint(4+8*i), "--out", out)
		text, err := os.ReadFile(out + "/run.json")
		if err != nil {
			t.Fatal(err)
		}
		write(t, out+"/run.json", strings.Replace(string(text), `"name": "sample"`, `"name": "`+name+`"`, 1))
	}
	base := serve(t, "--runs", "runs").url
	for _, l := range looksOfTheDay() {
		b := newTab(t, browser, base, l, "headline")
		b.open("/")
		if wide := evaluated[float64](b, `document.querySelector("h1").getBoundingClientRect().width`); wide < 300 {
			t.Errorf("%s: the headline is %.0f pixels wide", l, wide)
		}
	}
}

// Every page, in light and dark, wide and narrow.
func TestBrowserPages(t *testing.T) {
	browser := chromium(t)
	if os.Getenv("GAVEL_AXE") == "" {
		t.Log("GAVEL_AXE is not set: axe-core does not look at the pages")
	}
	home(t)
	shelf(t)
	base := serve(t, "--runs", "runs", "--max-runs", "1").url
	secret := strings.Repeat("secret ", 5)
	write(t, "token", secret+"\n")
	if err := os.Chmod("token", 0o600); err != nil {
		t.Fatal(err)
	}
	guarded := serve(t, "--runs", "runs", "--token-file", "token").url
	item := func(run, show string) string { return firstItem(t, base, run, show) }
	for _, l := range looksOfTheDay() {
		t.Run(l.String(), func(t *testing.T) {
			b := newTab(t, browser, base, l, "page")
			for i, target := range registered(t, base) {
				b.open(target)
				evaluated[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
				b.check(fmt.Sprintf("page %d %.40s", i, target))
			}
			for _, p := range []struct{ name, target string }{
				{"runs filtered", "/runs?q=first&sort=-name"},
				{"run of pairs", "/runs/pairs"},
				{"run again", "/runs/reversed"},
				{"run of answers", "/runs/answers"},
				{"run of options", "/runs/options"},
				{"run of self-reference", "/runs/deep%2Fself-reference"},
				{"items", "/runs/pairs/items"},
				{"items none", "/runs/pairs/items?q=nowhere-to-be-found"},
				{"item", item("pairs", "inconsistent")},
				{"item of options", item("options", "")},
				{"item of answers", item("answers", "")},
				{"item of self-reference", item("deep%2Fself-reference", "")},
				{"compare", "/compare?a=pairs&b=simulated"},
				{"compare three", "/compare?run=pairs&run=simulated&run=reversed&show=all"},
				{"compare three, an item", "/compare/item?run=pairs&run=simulated&run=reversed&item=" + strings.TrimPrefix(item("pairs", "wrong"), "/runs/pairs/items/")},
				{"start multi-option", "/start?protocol=multi-option"},
				{"start self-reference", "/start?protocol=self-reference"},
			} {
				b.open(p.target)
				// What is folded is part of the page too.
				evaluated[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
				b.check(p.name)
			}
			b.open("/compare?a=pairs&b=simulated")
			b.press("#items tbody a")
			b.check("compare item")
			b.open("/runs/nowhere")
			b.mu.Lock()
			b.wrong = nil // the browser says that the page was not found
			b.mu.Unlock()
			b.check("error")

			b = newTab(t, browser, guarded, l, "page")
			b.open("/login")
			b.check("login")
			b.do("the token", chromedp.SendKeys(chromedp.CSS("#token"), strings.TrimSpace(secret)))
			b.press("main button[type=submit]")
			b.until("the leaderboard is shown", `document.querySelector("nav.main [aria-current=page]")?.innerText === "Leaderboard"`)
			b.check("signed in")
		})
	}
}

// registered are addresses of each page that the server has, as far as links lead to it: one each.
func registered(t *testing.T, base string) (targets []string) {
	t.Helper()
	crawl(t, base, []string{"/"}, 1, func(link string, _ int, _ string) { targets = append(targets, link) })
	return targets
}

// firstItem is the page of the first item of a run that a filter takes.
func firstItem(t *testing.T, base, run, show string) string {
	t.Helper()
	resp, err := http.Get(base + "/api/v1/runs/" + run + "/items?show=" + show)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list struct {
		Items []struct {
			ID string `json:"item"`
		} `json:"items"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || len(list.Items) == 0 {
		t.Fatalf("%s has no item %s: %v", run, show, err)
	}
	return "/runs/" + run + "/items/" + url.PathEscape(list.Items[0].ID)
}

// A run from the form to its end: planned, started, watched, stopped, gone on
// with, opened and compared.
func TestBrowserRun(t *testing.T) {
	browser := chromium(t)
	t.Run("scripted", func(t *testing.T) { lives(t, browser, newJudge(t, false, favoursFirst).URL, looksOfTheDay()...) })
	t.Run("llama.cpp", func(t *testing.T) {
		llama := os.Getenv("GAVEL_LLAMA_URL")
		if llama == "" {
			t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
		}
		lives(t, browser, llama, looks[0], looks[3])
	})
}

func lives(t *testing.T, browser context.Context, judge string, looks ...look) {
	home(t)
	mustCall(t, strings.Fields("run pairwise --backend sim --model accuracy=0.8 --prompt direct --dataset sample --limit 8 --out runs/simulated")...)
	g := newBarrier(t, judge)
	base := serve(t, "--runs", "runs", "--base-url", g.URL, "--no-cache").url
	_, name, _ := strings.Cut(t.Name(), "/")
	for i, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			t.Cleanup(func() { g.set(true, 0) })
			b := newTab(t, browser, base, l, name)
			run := life(b, g, 8+i)
			b.open("/runs/" + url.PathEscape(run))
			b.check("run, complete")
			opensInconsistent(b)
			compares(b, run)
		})
	}
}

// life makes a run of tokens at most, and returns its name.
func life(b *tab, g *barrier, tokens int) (run string) {
	b.t.Helper()
	b.open("/start")
	evaluated[bool](b, `document.querySelectorAll("form details").forEach(d => d.open = true), true`)
	for _, field := range [][2]string{{"endpoint", g.URL}, {"model", "tiny"}, {"dataset", "sample"}, {"limit", "8"}, {"prompt", "direct"}, {"concurrency", "1"}, {"max-tokens", fmt.Sprint(tokens)}} {
		b.do(field[0], chromedp.SetValue(chromedp.CSS("#start [name='"+field[0]+"']"), field[1]))
	}
	b.do("constrain", chromedp.Click(chromedp.CSS("#constrain")))
	if evaluated[bool](b, `Boolean(document.querySelector("#action-start"))`) {
		b.t.Error("the form starts a run whose plan was not shown")
	}
	b.press("#action-plan")
	b.until("the plan is shown", `document.querySelector("#plan table")`)
	if text := evaluated[string](b, `document.querySelector("#plan").innerText`); !strings.Contains(text, "16") {
		b.t.Errorf("the plan does not say that there are 16 judgments:\n%s", text)
	}
	b.check("plan")

	g.set(false, 0)
	b.press("#action-start")
	b.until("the run is being made", `document.querySelector("[data-events]") && document.querySelector("#state").innerText === "running"`)
	evaluated[bool](b, `window.same = true`)
	judgments := b.judgments()
	for range 2 {
		g.set(false, 3)
		b.until("the page goes on by itself", fmt.Sprintf(`Number(document.querySelector("[data-live=done]").textContent) > %d`, judgments))
		judgments = b.judgments()
	}
	if !evaluated[bool](b, `window.same === true && document.querySelector("[data-live=bar]").value > 0`) {
		b.t.Error("the page was loaded again, or its bar stands still")
	}
	run = evaluated[string](b, `decodeURIComponent(location.pathname.replace("/runs/", ""))`)
	b.check("live run")
	b.press("#stop")
	g.set(true, 0) // a stop waits for the answer that is on its way
	b.ends("stopped")
	if records := evaluated[string](b, `document.querySelector("#records").textContent`); records == "" {
		b.t.Error("the run that was stopped shows no records")
	}
	b.check("stopped run")

	b.press("#go-on")
	b.ends("complete")
	if m, err := judging.ReadManifest(filepath.Join("runs", filepath.FromSlash(run))); err != nil || m.Status != judging.Complete {
		b.t.Errorf("the run that was gone on with: %v %v", m, err)
	}
	if n := len(records(b.t, filepath.Join("runs", filepath.FromSlash(run)))); n != 16 {
		b.t.Errorf("%d records, want 16", n)
	}
	return run
}

// A suite from the form to its end: put together, planned, started, watched from
// one run to the next, stopped, gone on with, and its judges held against each
// other.
func TestBrowserSuite(t *testing.T) {
	browser := chromium(t)
	t.Run("scripted", func(t *testing.T) { suites(t, browser, newJudge(t, false, favoursFirst).URL, looksOfTheDay()...) })
	t.Run("llama.cpp", func(t *testing.T) {
		llama := os.Getenv("GAVEL_LLAMA_URL")
		if llama == "" {
			t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
		}
		suites(t, browser, llama, looks[1])
	})
}

func suites(t *testing.T, browser context.Context, judge string, looks ...look) {
	home(t)
	_, name, _ := strings.Cut(t.Name(), "/")
	g := newBarrier(t, judge)
	s := serve(t, "--runs", "runs", "--base-url", g.URL, "--no-cache")
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			t.Cleanup(func() { g.set(true, 0) })
			suite := "suite-" + strings.Trim(strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
					return r
				}
				return '-'
			}, l.String()), "-")
			g.set(false, 0)
			j := s.startSuite(fmt.Sprintf(`name: %s
judges: [{model: tiny, base-url: %q}, {model: coin, backend: sim}]
conditions:
  - {protocol: reversed, dataset: sample, prompt: [sop, direct], system-role: user, limit: 4, concurrency: 1, max-tokens: 8, attempts: 1}
`, suite, g.URL))
			b := newTab(t, browser, s.url, l, "suite "+name)
			b.open("/jobs/" + j.ID)
			suiteLives(b, g, suite)
		})
	}
}

func suiteLives(b *tab, g *barrier, suite string) {
	b.t.Helper()
	b.until("a run is being made", `document.querySelector("[data-events]") && document.querySelector("#state").innerText === "running"`)
	g.set(false, 10) // the first run, and a little of the next
	b.until("the page turns to the next run by itself", `document.querySelectorAll("#cells .status-complete").length === 1 && Number(document.querySelector("[data-live=done]")?.textContent) === 2`)
	b.until("the suite is shown", `document.querySelector("#cells .status-running") && document.querySelector("#cells .status-complete")`)
	b.check("live suite")
	b.press("#stop")
	g.set(true, 0)
	b.ends("stopped")
	b.check("stopped suite")
	b.press("#go-on")
	b.ends("complete")
	b.open("/suites")
	b.check("suites")
	b.press(`#suites a[href="/suites/` + suite + `"]`)
	b.until("the judges are held against each other", `document.querySelector("table.board")`)
	if n := evaluated[int](b, `document.querySelectorAll("#cells .status-complete").length`); n != 4 {
		b.t.Errorf("%d complete runs, want 4", n)
	}
	b.check("complete suite")
	if evaluated[bool](b, `Boolean(document.querySelector("#go-on"))`) {
		b.t.Error("a complete suite offers to go on with it")
	}
}

// judgments that the page says are made.
func (b *tab) judgments() int {
	b.t.Helper()
	return evaluated[int](b, `Number(document.querySelector("[data-live=done]").textContent)`)
}

// ends waits on a page until the job that it shows is in a state, following the link that the page offers once the run
// has ended, and loading it again where nothing else does.
func (b *tab) ends(state string) {
	b.t.Helper()
	b.until("the job is "+state, fmt.Sprintf(`(() => {
		document.querySelector("[data-live=said] a")?.click();
		return document.readyState === "complete" && document.querySelector("#state")?.innerText === %q;
	})()`, state))
}

// opensInconsistent goes from the page of a run to an item whose judgments disagree.
func opensInconsistent(b *tab) {
	b.t.Helper()
	b.press(`main a[href$="/items?show=inconsistent"]`)
	b.until("there are inconsistent items", `document.querySelector("#items tbody a")`)
	b.check("inconsistent items")
	b.press("#items tbody a")
	if !evaluated[bool](b, `document.querySelectorAll("article.judgment").length === 2 && document.querySelectorAll("article.judgment mark").length >= 2`) {
		b.t.Error("the page does not show two judgments that disagree with their verdicts marked")
	}
	b.check("inconsistent item")
}

// compares chooses two runs in the form and opens an item of both.
func compares(b *tab, run string) {
	b.t.Helper()
	b.open("/compare")
	b.do("the runs", chromedp.SetValue(chromedp.CSS("#run-0"), run), chromedp.SetValue(chromedp.CSS("#run-1"), "simulated"))
	b.press("form.pick button")
	b.until("both are compared", `document.querySelector("#items tbody a") && document.querySelectorAll("main table").length > 1`)
	b.check("compared")
	b.press("#items tbody a")
	if n := evaluated[int](b, `document.querySelectorAll(".beside.two article.judgment").length`); n != 4 {
		b.t.Errorf("%d judgments beside each other, want 2 of each run", n)
	}
	b.check("compared item")
}

// hostileWords would each set a flag on the page, or ask somebody else for
// something.
var hostileWords = []string{
	`<script>window.ran = 1</script>`,
	`</textarea></pre></details></main></template><script>window.ran = 1</script>`,
	`<img src=x onerror="window.ran = 1">`,
	`<svg onload="window.ran = 1"><animate onbegin="window.ran = 1" attributeName=x dur=1s></svg>`,
	`<iframe srcdoc="<script>parent.ran = 1</script>"></iframe><iframe src="javascript:parent.ran = 1"></iframe>`,
	`[click](javascript:window.ran=1) <javascript:window.ran=1> [click](&#106;avascript:window.ran=1) <a href="javascript:window.ran=1">click</a>`,
	`<details open ontoggle="window.ran = 1"><summary>x</summary></details><input autofocus onfocus="window.ran = 1">`,
	`" onfocus="window.ran = 1" autofocus tabindex=0 x="' onfocus='window.ran = 1`,
	`![x](http://127.0.0.1:9/pixel.gif) <img src="//127.0.0.1:9/pixel.gif"> <link rel=stylesheet href="//127.0.0.1:9/x.css"> <style>@import "//127.0.0.1:9/y.css"; body { display: none }</style>`,
	`<meta http-equiv=refresh content="0;url=//127.0.0.1:9/"><base href="//127.0.0.1:9/">`,
	`<form action="//127.0.0.1:9/"><button id=stop formaction="javascript:window.ran=1">Stop</button></form>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.ran=1&gt;">`,
	"\u202e]]txet[[ \x1b[31m " + strings.Repeat("<b>long", 2000),
}

// Texts of models and datasets do nothing: not with the page's policy, and not
// without it either.
func TestBrowserHostile(t *testing.T) {
	browser := chromium(t)
	home(t)
	var lines strings.Builder
	for i, words := range hostileWords {
		line, err := json.Marshal(map[string]any{
			"pair_id": fmt.Sprintf("%d %.40s", i, words), "source": words, "question": fmt.Sprintf("#%d# %s", i, words),
			"response_model": words, "response_A": words, "response_B": words + "!", "label": "A>B",
		})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	write(t, "foul.jsonl", lines.String())
	j := newJudge(t, false, func(_ int64, user string) (int, string) {
		for i, words := range hostileWords {
			if strings.Contains(user, fmt.Sprintf("#%d# ", i)) {
				return http.StatusOK, words + "\n\n" + words + "\n\n[[A>B]]"
			}
		}
		return http.StatusInternalServerError, "not one of ours"
	})
	for _, run := range []string{"runs/a", "runs/<img src=x onerror=window.ran=1>"} {
		mustCall(t, "run", "pairwise", "--base-url", j.URL, "--model", "tiny", "--dataset", "foul.jsonl", "--max-tokens", "8192", "--out", run)
	}
	base := serve(t, "--runs", "runs").url
	second := url.PathEscape("<img src=x onerror=window.ran=1>")
	var list struct {
		Items []struct {
			ID string `json:"item"`
		} `json:"items"`
	}
	resp, err := http.Get(base + "/api/v1/runs/a/items?per=200")
	if err != nil {
		t.Fatal(err)
	}
	err = json.NewDecoder(resp.Body).Decode(&list)
	resp.Body.Close()
	if err != nil || len(list.Items) != len(hostileWords) {
		t.Fatalf("%d items: %v", len(list.Items), err)
	}
	targets := []string{"/", "/runs", "/runs/a", "/runs/" + second, "/runs/a/items", "/runs/a/items?q=" + url.QueryEscape(hostileWords[0]), "/compare?a=a&b=" + url.QueryEscape("<img src=x onerror=window.ran=1>") + "&show=all", "/start?model=" + url.QueryEscape(hostileWords[1])}
	for _, item := range list.Items {
		targets = append(targets, "/runs/a/items/"+url.PathEscape(item.ID), "/compare/item?a=a&b="+second+"&item="+url.QueryEscape(item.ID))
	}
	for _, policy := range []bool{true, false} {
		b := newTab(t, browser, base, looks[2], fmt.Sprintf("hostile policy %v", policy))
		b.policy(policy)
		for _, target := range targets {
			b.open(target)
			b.harmless(target)
		}
		if policy {
			b.open(targets[len(targets)-4])
			b.check("item")
		}
	}
	// Would it be noticed? On a page without a policy that writes it out, it is.
	raw := newTab(t, browser, base, looks[0], "raw")
	raw.policy(false)
	raw.open("/healthz")
	evaluated[bool](raw, `document.body.innerHTML = '<img src="data:," onerror="window.ran = 1">', true`)
	raw.until("the flag is seen", `window.ran === 1`)
}

// policy tells whether the policy of the pages is heeded.
func (b *tab) policy(heeded bool) {
	b.t.Helper()
	b.do("the policy", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: !heeded})
		return chromedp.Void{}, err
	})
}

// foreign tells whether a link, of the page or of a drawing, leads elsewhere than to a page.
const foreign = `(a => !/^https?:$/.test(new URL(a.href.baseVal ?? a.href, location).protocol))`

// harmless opens all that is folded, presses every link out of the page's
// texts, and sees that nothing ran.
func (b *tab) harmless(where string) {
	b.t.Helper()
	evaluated[bool](b, `(() => {
		for (const d of document.querySelectorAll("details")) d.open = true;
		for (const e of document.querySelectorAll("main *")) if (e.tabIndex >= 0) e.focus();
		for (const a of document.querySelectorAll("main a[href]")) if (`+foreign+`(a)) a.dispatchEvent(new MouseEvent("click"));
		return true;
	})()`)
	// What would run does so in a moment of its own, after a picture was drawn.
	evaluated[bool](b, `new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))`)
	if evaluated[bool](b, `window.ran !== undefined`) {
		b.t.Errorf("%.150s: something ran", where)
	}
	if got := evaluated[string](b, `location.pathname`); !strings.HasPrefix(where, "/") || got == "" || got == "blank" {
		b.t.Errorf("%.150s: led to %q", where, got)
	}
	if bad := evaluated[[]string](b, `[...document.querySelectorAll("a[href]")].filter(`+foreign+`).map(a => a.outerHTML.slice(0, 200))`); len(bad) > 0 {
		b.t.Errorf("%.150s: links %q", where, bad)
	}
	if wide := evaluated[float64](b, `document.documentElement.scrollWidth`); wide > float64(b.look.width) {
		b.t.Errorf("%.150s: the page is %v pixels wide: %s", where, wide, evaluated[string](b, widest))
	}
	b.fine(fmt.Sprintf("%.150s", where))
}

// Everything can be reached with the keyboard, and where it is can be seen.
func TestBrowserKeyboard(t *testing.T) {
	browser := chromium(t)
	home(t)
	mustCall(t, strings.Fields("run pairwise --backend sim --model coin --dataset sample --limit 5 --out runs/a")...)
	base := serve(t, "--runs", "runs").url
	for _, l := range looksOfTheDay() {
		t.Run(l.String(), func(t *testing.T) {
			b := newTab(t, browser, base, l, "keyboard")
			b.open("/runs")
			b.key(kb.Tab)
			if focus := b.focus(); focus != "Skip to the content" {
				t.Errorf("the first stop is %q", focus)
			}
			b.check("skip link")
			b.key(kb.Enter)
			b.until("the skip link leads to the content", `document.activeElement.id === "main"`)
			b.tabTo(`e => e.innerText === "Filter and sort"`)
			b.key(kb.Enter)
			b.until("the filter unfolds", `document.activeElement.closest("details").open`)
			b.tabTo(`e => e.id === "q"`)
			b.tabTo(`e => e.matches(".filter button")`)
			b.tabTo(`e => e.closest("#runs tbody") && e.matches("a")`)
			b.enter("/runs/a")
			b.tabTo(`e => e.getAttribute("href") === "/runs/a/items"`)
			b.enter("/runs/a/items")
			b.tabTo(`e => e.closest("#items tbody") && e.matches("a")`)
			b.check("first row")
			b.enter("/runs/a/items/")
			b.tabTo(`e => e.id === "next"`)
			b.enter("/runs/a/items/")
			b.tabTo(`e => e.matches("details.prompt summary")`)
			b.key(kb.Enter)
			b.until("the prompt unfolds", `document.querySelector("details.prompt").open`)
			b.fine("keyboard")
		})
	}
}

// tabTo presses Tab until the focus is where it should come to, and can be seen
// at every stop.
func (b *tab) tabTo(label string) {
	b.t.Helper()
	var stops []string
	for range 80 {
		b.key(kb.Tab)
		stops = append(stops, b.focus())
		if evaluated[bool](b, `Boolean((`+label+`)(document.activeElement))`) {
			return
		}
	}
	b.t.Fatalf("%s: Tab does not come to %s, only to %q", b.look, label, stops)
}

// focus says where the focus is, and fails where it cannot be seen.
func (b *tab) focus() string {
	b.t.Helper()
	type place struct {
		Text string
		Seen bool
		Why  string
	}
	p := evaluated[place](b, `(() => {
		const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);
		const inside = r.width > 0 && r.height > 0 && r.right > 0 && r.left < innerWidth && r.bottom > 0 && r.top < innerHeight;
		const marked = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2;
		return {Text: e.innerText || e.id || e.tagName, Seen: e === document.body || inside && marked, Why: JSON.stringify(r) + " " + s.outline};
	})()`)
	if !p.Seen {
		b.t.Errorf("%s: the focus at %q cannot be seen: %s", b.look, p.Text, p.Why)
	}
	return p.Text
}

// enter presses Enter, which leads to a page.
func (b *tab) enter(path string) {
	b.t.Helper()
	evaluated[bool](b, `window.before = true`)
	b.key(kb.Enter)
	b.arrived("after Enter")
	if pathname := evaluated[string](b, `location.pathname`); !strings.HasPrefix(pathname, path) {
		b.t.Errorf("%s: Enter leads to %s, want %s", b.look, pathname, path)
	}
}

// Keys go through the items and their neighbours, never while something is typed, and can be turned off; the name of a
// metric opens its explanation.
func TestBrowserItems(t *testing.T) {
	browser := chromium(t)
	home(t)
	for _, line := range []string{
		"run pairwise --backend sim --model accuracy=0.6,seed=1 --dataset sample --limit 5 --out runs/a",
		"run pairwise --backend sim --model coin --dataset sample --limit 5 --out runs/b",
	} {
		mustCall(t, strings.Fields(line)...)
	}
	base := serve(t, "--runs", "runs").url
	for _, l := range []look{looks[0], looks[3]} {
		t.Run(l.String(), func(t *testing.T) {
			b := newTab(t, browser, base, l, "items")
			b.open("/runs/a/items")
			expectLink := func(name string, link int) {
				t.Helper()
				b.until(name, fmt.Sprintf(`document.activeElement === document.querySelectorAll("#items tbody th a")[%d]`, link))
			}
			b.key("j")
			expectLink("j begins with the first item", 0)
			b.key("jj")
			expectLink("and goes on", 2)
			b.key("k")
			expectLink("k goes back", 1)
			b.key("/")
			b.until("/ goes to the search", `document.activeElement.id === "q"`)
			b.key("jk?")
			if typed := evaluated[string](b, `document.activeElement.value`); !strings.HasSuffix(typed, "jk?") {
				t.Errorf("typed is %q", typed)
			}
			evaluated[bool](b, `document.activeElement.blur(), true`)
			b.key("?")
			b.until("? shows the keys", `document.querySelector("#keys").open`)
			b.check("keys")
			b.key(kb.Escape)
			b.until("Escape closes them", `!document.querySelector("#keys").open`)
			b.open("/runs/a/items")
			b.key("j")
			b.enter("/runs/a/items/")
			first := evaluated[string](b, `location.pathname`)
			evaluated[bool](b, `window.before = true`)
			b.key("j")
			b.arrived("j")
			if evaluated[string](b, `location.pathname`) == first {
				t.Error("j stays on the item")
			}
			evaluated[bool](b, `window.before = true`)
			b.key("k")
			b.arrived("k")
			if back := evaluated[string](b, `location.pathname`); back != first {
				t.Errorf("k leads to %s, not back to %s", back, first)
			}
			if n := evaluated[int](b, `[...document.querySelectorAll("[data-copies]")].filter(e => e.closest(".script-only").hidden).length`); n > 0 {
				t.Errorf("%d buttons that copy are hidden from who has a script", n)
			}
			evaluated[bool](b, `document.querySelector("[data-opens=keys]").click(), document.querySelector("#keys-on").click(), document.querySelector("#keys").close(), true`)
			b.open("/runs/a/items")
			b.key("j")
			if evaluated[bool](b, `document.activeElement.matches("#items a")`) {
				t.Error("keys that were turned off still do something")
			}
			evaluated[bool](b, `localStorage.clear(), true`)
			for _, target := range []string{"/runs/a", "/compare?a=a&b=b"} {
				b.open(target)
				evaluated[bool](b, `document.querySelectorAll("details.folded").forEach(d => d.open = true), true`)
				b.tabTo(`e => e.matches("button.term")`)
				b.key(kb.Enter)
				b.until("the metric is explained", `document.querySelector(".explanation:popover-open")?.innerText.includes("formula")`)
				b.check("explained at " + target)
				b.key(kb.Escape)
				b.until("and no longer", `!document.querySelector(":popover-open")`)
			}
		})
	}
}
