package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	logs "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds the time that a test waits for a page.
const patience = 60 * time.Second

// look holds a colour scheme and a width in which pages are tested.
type look struct {
	scheme string
	width  int64
}

func (l look) String() string { return fmt.Sprintf("%s-%d", l.scheme, l.width) }

// phone is the narrower of the two.
func (l look) phone() bool { return l.width < 600 }

var looks = []look{{"light", 1280}, {"dark", 1280}, {"light", 390}, {"dark", 390}}

// looksOfTheDay are all looks by night and for pictures, and else those that have each color and each width once.
func looksOfTheDay() []look {
	if os.Getenv("GAVEL_TEST_NIGHTLY") != "" || os.Getenv("GAVEL_SCREENSHOTS") != "" {
		return looks
	}
	return []look{looks[0], looks[3]}
}

// chromium starts a browser without a window, of which tabs are opened.
func chromium(t testing.TB) context.Context {
	t.Helper()
	path := os.Getenv("GAVEL_CHROMIUM")
	if path == "" {
		t.Skip("GAVEL_CHROMIUM is not set: run scripts/browser.sh")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(patience),
	)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...) // with a folder of its own, which goes when it ends
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(t.Logf))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// tab is a tab that has no cookies yet and notes what pages must not do.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string // the address of the server
	look look
	shot string // the beginning of the names of its pictures

	mu    sync.Mutex
	wrong []string
}

// watched is run on every page before its own scripts: what the page's policy
// stops is said on the console, where the tab hears it.
const watched = `addEventListener("securitypolicyviolation", e => console.error("against the policy: " + e.violatedDirective + " " + e.blockedURI + " " + e.sample));`

func newTab(t testing.TB, browser context.Context, base string, l look, shot string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base, look: l, shot: shot}
	if err := chromedp.Listen(ctx, b.heard); err != nil {
		t.Fatal(err)
	}
	b.do("the tab is set up", b.lookAs(l), func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return chromedp.Void{}, err
	}, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watched})
		return chromedp.Void{}, err
	})
	return b
}

// lookAs sets the width and the colours.
func (b *tab) lookAs(l look) chromedp.Action[chromedp.Void] {
	viewport := chromedp.EmulateViewport(l.width, 900)
	if l.phone() {
		viewport = chromedp.EmulateViewport(l.width, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	return chromedp.Steps(viewport, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
		return chromedp.Void{}, err
	})
}

// heard notes errors, dialogs and requests to anybody else.
func (b *tab) heard(ev any) {
	note := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
	}
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := ev.Request.URL; !strings.HasPrefix(u, b.base+"/") && !strings.HasPrefix(u, "data:") {
			note("a request to %s", u)
		}
	case *network.EventWebSocketCreated:
		note("a socket to %s", ev.URL)
	case *runtime.EventConsoleAPICalled:
		words, _ := json.Marshal(ev.Args)
		note("on the console: %s %s", ev.Type, words)
	case *runtime.EventExceptionThrown:
		words, _ := json.Marshal(ev.ExceptionDetails)
		note("an exception: %s", words)
	case *logs.EventEntryAdded:
		if ev.Entry.Level == logs.EntryLevelVerbose {
			return // advice
		}
		note("in the log: %s %s %s %s", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text, ev.Entry.URL)
	case *page.EventJavascriptDialogOpening:
		note("a dialog: %s", ev.Message)
	case *page.EventWindowOpen:
		note("a window: %s", ev.URL)
	}
}

// fine fails where something was noted since the last time.
func (b *tab) fine(where string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.t.Errorf("%s, %s: %s", where, b.look, w)
	}
	b.wrong = nil
}

// do makes the tab do something, which has to go well.
func (b *tab) do(name string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s, %s: %v", b.look, name, err)
	}
}

// evaluated is the value of an expression on the page, which may be a promise.
func evaluated[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := tryEval[T](b, expression)
	if err != nil {
		b.t.Fatalf("%s, %.200s: %v", b.look, expression, err)
	}
	return v
}

func tryEval[T any](b *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// until waits until an expression is true on whatever page the tab shows then.
func (b *tab) until(name, expression string) {
	b.t.Helper()
	late := time.Now().Add(patience)
	for {
		// A page that is going away cannot be asked.
		ok, err := tryEval[bool](b, "Boolean("+expression+")")
		if ok && err == nil {
			return
		}
		if time.Now().After(late) {
			text, _ := tryEval[string](b, "location.href + '\\n' + document.body.innerText")
			b.t.Fatalf("%s, %s: not so after %v (%v); the page:\n%s", b.look, name, patience, err, text)
		}
		time.Sleep(20 * time.Millisecond) // and once more
	}
}

// open goes to an address of the server.
func (b *tab) open(target string) {
	b.t.Helper()
	b.do("going to "+target, chromedp.Navigate(b.base+target))
}

// press clicks an element and waits for the page that it leads to.
func (b *tab) press(selector string) {
	b.t.Helper()
	evaluated[bool](b, `window.before = true`)
	b.do("pressing "+selector, chromedp.Click(chromedp.CSS(selector)))
	b.arrived("after " + selector)
}

// arrived waits until the page that was marked is left and another is there.
func (b *tab) arrived(name string) {
	b.t.Helper()
	b.until("a new page "+name, `!window.before && document.readyState === "complete"`)
}

var noName = regexp.MustCompile(`[^a-z0-9]+`)

// check looks at the page as it stands: it is not wider than the window, nothing
// was noted, and axe finds nothing serious. A picture of it is kept where
// GAVEL_SCREENSHOTS names a folder.
func (b *tab) check(name string) {
	b.t.Helper()
	if wide := evaluated[float64](b, `document.documentElement.scrollWidth`); wide > float64(b.look.width) {
		b.t.Errorf("%s, %s: the page is %v pixels wide: %s", name, b.look, wide, evaluated[string](b, widest))
	}
	b.fine(name)
	if dir := os.Getenv("GAVEL_SCREENSHOTS"); dir != "" {
		b.picture(filepath.Join(dir, noName.ReplaceAllString(strings.ToLower(b.shot+" "+name+" "+b.look.String()), "-")+".png"))
	}
	if path := os.Getenv("GAVEL_AXE"); path != "" {
		b.axe(name, path)
	}
}

// widest names what reaches out of the window.
const widest = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > Math.min(innerWidth, screen.width) + 1 && !e.closest(".scroll")).slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join("\n")`

func (b *tab) picture(path string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", path, err)
	}
}

// axe lets axe-core look for what keeps people from using the page. What the
// debugger evaluates is not under the page's policy.
func (b *tab) axe(name, path string) {
	b.t.Helper()
	script, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	type violation struct {
		ID, Impact, Help string
		Nodes            []string
	}
	violations := evaluated[[]violation](b, string(script)+`;
		axe.run(document, {preload: false, resultTypes: ["violations"]}).then(r => r.violations.map(v => ({
			ID: v.id, Impact: v.impact || "", Help: v.help, Nodes: v.nodes.slice(0, 4).map(n => n.html.slice(0, 150) + " " + (n.any[0] || n.all[0] || n.none[0] || {}).message)})))`)
	for _, v := range violations {
		message := fmt.Sprintf("%s, %s: axe: %s: %s (%s)\n  %s", name, b.look, v.Impact, v.Help, v.ID, strings.Join(v.Nodes, "\n  "))
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Error(message)
		} else {
			b.t.Log(message)
		}
	}
	b.mu.Lock()
	b.wrong = nil // what axe says on the console is not the page's
	b.mu.Unlock()
}

// key presses a key.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.do("a key", chromedp.KeyEvent(keys))
}

// barrier stands before a server of models and lets questions through only while
// it is open, or as many as it was told: so a run stands still where a test
// wants to look at it.
type barrier struct {
	*httptest.Server
	mu      sync.Mutex
	open    bool
	pending int
	more    chan struct{} // closed when one of them changes
}

func newBarrier(t *testing.T, to string) *barrier {
	t.Helper()
	address, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	g := &barrier{open: true, more: make(chan struct{})}
	forward := httputil.NewSingleHostReverseProxy(address)
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isChat(r.URL.Path) && !g.pass(r.Context()) {
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { g.set(true, 0); g.Close() })
	return g
}

// pass waits until the barrier lets one through; false: whoever asked has gone.
func (g *barrier) pass(ctx context.Context) bool {
	for {
		g.mu.Lock()
		more, through := g.more, g.open || g.pending > 0
		if through && !g.open {
			g.pending--
		}
		g.mu.Unlock()
		if through {
			return true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

// set opens or shuts the barrier, and lets more through where it is shut.
func (g *barrier) set(open bool, more int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.pending = open, g.pending+more
	if open {
		g.pending = 0
	}
	close(g.more)
	g.more = make(chan struct{})
}
