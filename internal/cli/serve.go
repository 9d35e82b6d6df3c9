package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/internal/server"
	"gavel/internal/server/guard"
	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
)

// defaultRuns is the default of --runs. If this folder is missing, serve makes it.
const defaultRuns = "runs"

// jobOptions reads the flags about runs that the server may start.
func jobOptions(c *cli.Context) (jobs.Options, error) {
	o := jobs.Options{
		Runs: c.String("runs"), BaseURLs: c.StringSlice("base-url"), APIKeyEnv: c.String("api-key-env"),
		Cache: c.String("cache"), NoCache: c.Bool("no-cache"), MaxActive: c.Int("max-runs"), RunListShows: store.CanList,
	}
	if err := (eval.Endpoint{Backend: "auto", BaseURLs: o.BaseURLs, APIKeyEnv: o.APIKeyEnv}).Validate(); err != nil {
		return o, err
	}
	switch {
	case o.MaxActive < 1:
		return o, usageError("--max-runs %d: it must be at least 1", o.MaxActive)
	case o.NoCache && o.Cache != "":
		return o, usageError("--cache and --no-cache: choose one")
	case len(c.StringSlice("host")) > 0 && c.String("token-file") == "":
		return o, usageError("--host opens the server to others: it needs --token-file too")
	}
	return o, nil
}

// serve answers HTTP requests until Ctrl-C. desk stores people's labels; with one, serve also
// has the pages for labelling.
func (e *env) serve(c *cli.Context, desk *labels.Desk) error {
	o, err := jobOptions(c)
	if err != nil {
		return err
	}
	ctx := c.Context
	addr := c.String("addr")
	loopback, token, err := e.accessToken(addr, c.String("token-file"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.Runs); o.Runs != defaultRuns && errors.Is(err, fs.ErrNotExist) {
		return usageError("--runs %s: there is no such folder: name the one that has your runs, or make it for new runs",
			o.Runs)
	}
	if err := os.MkdirAll(o.Runs, 0o755); err != nil {
		return fmt.Errorf("the folder of runs: %w; name another with --runs", err)
	}
	opts := server.Options{
		Options:        guard.Options{Token: token, Loopback: loopback, Hosts: c.StringSlice("host"), Now: e.now},
		Dir:            o.Runs,
		Version:        version(),
		Log:            e.say,
		Desk:           desk,
		Labels:         c.String("labels"),
		MaxConnections: maxOpenFiles() / 2,
	}
	page := ""
	switch {
	case desk == nil && opts.Labels != "":
		if _, err := labels.Read(opts.Labels); err != nil {
			return err
		}
	case desk != nil:
		opts.Labels, page = desk.Path, "labels/"+url.PathEscape(c.String("as"))
	}
	var manager *jobs.Manager
	if !c.Bool("read-only") {
		manager, err = jobs.New(ctx, *e.maker(), o)
		if err != nil {
			return err
		}
		defer manager.Wait() // not before the server has ended: then nobody starts another
		opts.Runner = manager
	}
	s, err := server.New(opts)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --addr", addr, err)
	}
	e.say("gavel serves the runs in %s at http://%s/%s (Ctrl-C ends it)", o.Runs, l.Addr(), page)
	if c.Bool("open") {
		e.openBrowser(l.Addr(), page)
	}
	serving, end := context.WithCancel(ctx)
	defer end()
	defer e.interrupts.Handle(func() {
		if manager != nil && manager.StopAll() {
			e.say("stopping: runs in progress finish their open requests; Ctrl-C again to abandon them")
		}
		end()
	})()
	return s.Serve(serving, l)
}

// accessToken reports whether only this machine can reach the address addr (loopback), and returns the token in
// tokenFile, which other addresses require.
func (e *env) accessToken(addr, tokenFile string) (loopback bool, token string, err error) {
	address, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return false, "", usageError("--addr %q is not an address: write it like 127.0.0.1:7070 (%v)", addr, err)
	}
	loopback = address.IP.IsLoopback()
	if !loopback && tokenFile == "" {
		return false, "", usageError("--addr %s can be reached from other machines: "+
			"it needs --token-file FILE, or anybody could see and start runs", addr)
	}
	if tokenFile != "" {
		token, err = e.readToken(tokenFile)
	}
	return loopback, token, err
}

// openBrowser opens a page of the server that listens at listener in the user's browser.
func (e *env) openBrowser(listener net.Addr, page string) {
	host, port, _ := net.SplitHostPort(listener.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	address := "http://" + net.JoinHostPort(host, port) + "/" + page
	browser.Stdout = io.Discard
	browser.Stderr = io.Discard
	if err := browser.OpenURL(address); err != nil {
		e.say("no browser was opened (%v): open %s in one", err, address)
	}
}

// readToken returns the access token in a file: its first line that is not empty.
func (e *env) readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w; write one, for example with: (umask 077; "+
			"openssl rand -hex 24 > %s)", err, path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		e.say("warning: %s can be read by others on this machine: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	token = strings.TrimSpace(token)
	if len(token) < guard.MinToken {
		return "", fmt.Errorf("--token-file %s: the token has %d characters, it needs at least %d",
			path, len(token), guard.MinToken)
	}
	return token, nil
}
