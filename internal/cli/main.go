// Package cli is gavel's command line.
//
// Only this package reads flags, the environment and the clock, and passes them on. Data goes to standard output,
// messages to standard error.
package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/report/table"
)

// env holds the outside world that commands use: streams, HTTP, clock, terminal.
type env struct {
	stdout, stderr io.Writer
	http           *http.Client
	now            func() time.Time // the clock
	terminal       bool             // stderr is a terminal
	columns        int              // width of stdout's terminal, else of COLUMNS; 0 if unknown
	colours        bool             // text on stdout may have colours
	interrupts     *eval.Interrupts // handles Ctrl-C
}

// terminalAdvice says in messages of runs what to do at a terminal.
var terminalAdvice = eval.UserHints{
	StopNow:  "Ctrl-C again",
	GoOn:     "run the same command again to go on",
	AskAgain: "run the same command with --ask-again",
}

// maker returns a maker of runs that reports to the terminal.
func (e *env) maker() *eval.Maker {
	return &eval.Maker{
		HTTP:       e.http,
		Getenv:     os.Getenv,
		Now:        e.now,
		Library:    e.library(),
		Version:    version(),
		OpenCache:  e.openCache,
		Observer:   &progress{env: e},
		Interrupts: e.interrupts,
		Hints:      terminalAdvice,
	}
}

// say writes a line to standard error. It removes control characters, since parts of the line may
// come from servers and files.
func (e *env) say(format string, args ...any) {
	fmt.Fprintln(e.stderr, table.ReplaceControls(fmt.Sprintf(format, args...)))
}

// sayEach writes lines to standard error.
func (e *env) sayEach(lines []string) {
	for _, line := range lines {
		e.say("%s", line)
	}
}

// library returns the user's folder of datasets.
func (e *env) library() datasets.Library {
	return datasets.Library{Dir: filepath.Join(xdg.DataHome, "gavel", "datasets")}
}

// usageError returns an error about the command line, which ends gavel with exitUsage.
func usageError(format string, args ...any) error {
	return eval.ErrorOfKind(eval.ErrUsage, fmt.Errorf(format, args...))
}

// Main runs one command line in the environment of the process and returns its exit status. Ctrl-C and
// other signals end the command.
func Main(args []string) int {
	in := new(eval.Interrupts)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go handleSignals(in, signals, cancel)
	return newEnv(in, os.Stdout, os.Stderr).runCommandLine(ctx, args)
}

// newEnv returns the environment of the process with the given streams.
func newEnv(in *eval.Interrupts, stdout, stderr io.Writer) *env {
	e := &env{stdout: stdout, stderr: stderr, http: newHTTPClient(), now: time.Now, interrupts: in}
	e.terminal = isTerminal(stderr)
	e.columns = terminalColumns(stdout)
	e.colours = isTerminal(stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return e
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalColumns returns the width in columns of the terminal w; for other writers the value of COLUMNS, or 0.
func terminalColumns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	n, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	return max(0, n)
}

// enoughOpenFiles is more open files and connections than gavel ever uses.
const enoughOpenFiles = 1 << 16

// newHTTPClient returns a client that uses at most half of the files that may be open at once; the rest is for the run
// and its cache. A request beyond that waits for another to end.
func newHTTPClient() *http.Client {
	files := maxOpenFiles()
	client := backends.NewHTTPClient(min(256, files/4))
	if t, ok := client.Transport.(*http.Transport); ok {
		t.MaxIdleConns = files / 4
		t.MaxConnsPerHost = files / 2
	}
	return client
}

// runCommandLine runs one command line and returns its exit status.
func (e *env) runCommandLine(ctx context.Context, args []string) int {
	defer e.http.CloseIdleConnections()
	app := newApp(e)
	if last := len(args) - 1; last >= 0 && args[last] == completionArgument {
		e.printCompletions(app, args[:last])
		return exitOK
	}
	for i, arg := range args {
		args[i] = backends.TakePasswords(arg)
	}
	args, err := e.takeColour(args)
	if err == nil {
		args, err = moveFlagsFirst(app, args)
	}
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, args...))
	}
	return e.exitStatus(ctx, err)
}

// handleSignals acts on Ctrl-C and other signals: the first lets a run or server finish open requests, the second
// cancels everything, the third ends the process.
func handleSignals(in *eval.Interrupts, signals <-chan os.Signal, cancel context.CancelCauseFunc) {
	cancelled := false
	for range signals {
		switch {
		case in.StopGently():
		case cancelled:
			os.Exit(exitInterrupted)
		default:
			cancelled = true
			cancel(eval.ErrInterrupted)
		}
	}
}

// version returns the version of gavel that `gavel --version` prints and runs store: the module's version if it is a
// release, else release with the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; releasePattern.MatchString(v) {
		return v
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if commit == "" {
		return releaseVersion
	}
	return releaseVersion + " (" + commit + dirty + ")"
}

// releasePattern matches the version of a tagged release, not one that Go derives from a commit.
var releasePattern = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// releaseVersion is the newest version in CHANGELOG.md.
const releaseVersion = "0.2.0"

// newApp returns the command-line program with all of its commands.
func newApp(e *env) *cli.App {
	app := &cli.App{
		Name:            "gavel",
		Description:     helpText("gavel"),
		Usage:           "which open-weight model can you trust as a judge?",
		Version:         version(),
		HideHelpCommand: true,
		Writer:          e.stdout,
		ErrWriter:       e.stderr,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    onUsageError,
		Action:          parentAction,
		// A comma is part of a value: flags that may be given again are given again.
		DisableSliceFlagSeparator: true,
		Flags:                     []cli.Flag{colourFlag},
		Commands:                  buildCommands(e),
	}
	texts, _ := readCommandTexts() // a test reads them first
	texts.addTexts(app.Name, app.Commands)
	return app
}
