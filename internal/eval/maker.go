package eval

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gavel/cache"
	"gavel/datasets"
	"gavel/judging"
)

// Maker makes runs. Its fields hold everything that it uses from outside.
type Maker struct {
	HTTP    *http.Client
	Getenv  func(string) string
	Now     func() time.Time
	Library datasets.Library // finds datasets by name
	Version string           // gavel's version, for records
	RunsDir string           // folder of runs whose request does not name one; default "runs"

	// Observer is notified of progress; nil is Quiet.
	Observer Observer
	// Interrupts can end a run gently; may be nil.
	Interrupts *Interrupts
	Hints      UserHints // advice in errors and notes
	// OpenCache opens the cache of a folder, or with "" the user's.
	OpenCache func(dir string) (*cache.Store, error)
	// SharedCache is a cache that several runs keep open; nil if each run opens its own.
	SharedCache *SharedCache
	// APIKeyVariable returns the name of the environment variable with the API key of a server, or "" for OPENAI_API_KEY.
	// If ok is false, the server gets no key. May be nil: then the request names the variable.
	APIKeyVariable func(url string) (variable string, ok bool)
	// EarlierNumCtx returns the context, in tokens, that an earlier run requested from Ollama, for a request that does not
	// set one. If it returns 0, or is nil, the context is sized for the prompts of the run.
	EarlierNumCtx func(RunRequest) int
	// PlannedKeys holds the cache keys of the calls in earlier plans; a plan adds those of its own calls. May be nil.
	PlannedKeys map[[32]byte]bool
	// Speeds holds the speeds of earlier runs, for plans; nil reads the folders of runs.
	Speeds *Speeds
	// Rule may end the requested run before its last item, but not its stages. May be nil.
	Rule *StoppingRule
	// Batch answers instead of servers, and is the transport of HTTP; may be nil.
	Batch *BatchTransport
}

// UserHints holds the advice on how to end a run at once and how to continue it: with keys and commands at a
// terminal, with a button and a form on a page.
type UserHints struct {
	StopNow  string // how to end a run at once
	GoOn     string // how to continue the run
	AskAgain string // how to ask again for judgments without a verdict; see [RunRequest].AskAgain
}

// WithAdvice returns the text of an error, with advice if the disk is full.
func (w UserHints) WithAdvice(err error, text string) string {
	if judging.DiskFull(err) {
		text += "; free space on the disk and " + w.GoOn
	}
	return text
}

// Observer is notified of what a Maker does. All methods except RunOpened and RunEnded may be called from several
// goroutines.
type Observer interface {
	// RunOpened is called when a run's folder has been opened and judgments will be asked.
	RunOpened(run RunStart)
	// Recorded is called when a judgment has been written.
	Recorded(r *judging.Record)
	// RunEnded is called when the run that was opened last sends no more requests.
	RunEnded()
	// Note shows a line to people.
	Note(text string)
}

// RunStart describes a run that starts or continues.
type RunStart struct {
	Dir       string
	Manifest  *judging.Manifest
	Missing   int // number of judgments to ask for
	Completed int // number of judgments in the run already
	// ConcurrencyText returns in words how many of the remaining judgments are in flight, and why no more. May be nil.
	ConcurrencyText func(remaining int) string
	// LiveScoreText returns the scores so far in words, or "" if there are too few judgments; nil if nothing is asked. It
	// is valid until the next run is opened.
	LiveScoreText func() string
}

// SilentObserver is an Observer that does nothing.
type SilentObserver struct{}

var _ Observer = SilentObserver{}

func (SilentObserver) RunOpened(RunStart)       {}
func (SilentObserver) Recorded(*judging.Record) {}
func (SilentObserver) RunEnded()                {}
func (SilentObserver) Note(string)              {}

func (e *Maker) observer() Observer {
	if e.Observer == nil {
		return SilentObserver{}
	}
	return e.Observer
}

// Notef shows a line to people.
func (e *Maker) Notef(format string, args ...any) { e.observer().Note(fmt.Sprintf(format, args...)) }

// quiet returns a copy of the Maker without an observer.
func (e *Maker) quiet() *Maker {
	q := *e
	q.Observer = nil
	return &q
}

// runsFolder returns the folder of runs.
func (e *Maker) runsFolder() string { return cmp.Or(e.RunsDir, "runs") }

// Kinds of errors of this package, for errors.Is.
var (
	ErrUsage       = errors.New("usage error")                     // invalid request; *FieldError names the field
	ErrIncomplete  = errors.New("judgments failed or are missing") // the same request asks for them
	ErrInterrupted = errors.New("interrupted")                     // the same request continues

	// ErrServerNoVerdict marks the error of a run that has all judgments, but some without a verdict by no fault of the
	// judge. It is an ErrIncomplete, too; the request with AskAgain asks for them again.
	ErrServerNoVerdict = fmt.Errorf("no verdict: %w", ErrIncomplete)
)

// errorWithKind is an error with the text of err, for which errors.Is also reports kind.
type errorWithKind struct{ kind, err error }

func (e *errorWithKind) Error() string        { return e.err.Error() }
func (e *errorWithKind) Unwrap() error        { return e.err }
func (e *errorWithKind) Is(target error) bool { return errors.Is(e.kind, target) }

func (e *FieldError) Is(target error) bool { return target == ErrUsage }

// usageError returns an error of the kind ErrUsage.
func usageError(format string, args ...any) error {
	return &errorWithKind{ErrUsage, fmt.Errorf(format, args...)}
}

// ErrorOfKind returns an error of a kind, one of ErrUsage, ErrIncomplete and ErrInterrupted, with its own text.
func ErrorOfKind(kind, err error) error { return &errorWithKind{kind, err} }
