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

// Maker makes runs. It is handed all that it needs of the world.
type Maker struct {
	HTTP    *http.Client
	Getenv  func(string) string
	Now     func() time.Time
	Library datasets.Library
	Version string // of gavel, which records keep
	Runs    string // folder of runs whose request names none; default "runs"

	// Observer is told of what happens; nil is Quiet.
	Observer Observer
	// Interrupts end a run gently; may be nil.
	Interrupts *Interrupts
	Words      Words
	// OpenCache opens the cache of a folder, "" for the user's own.
	OpenCache func(dir string) (*cache.Store, error)
	// Shared is the cache that several runs have open at once; nil where each opens its own.
	Shared *SharedCache
	// KeyOf names the variable with the API key of a server, "" for the usual
	// one; one that is not known is sent none. May be nil: what the request says.
	KeyOf func(url string) (variable string, known bool)
	// NumCtx is the context that a run asked Ollama for before, where the request leaves it open; where it is 0, and
	// where this is nil, the context is sized by the prompts of the run.
	NumCtx func(Request) int
	// Planned are the keys of requests that plans made before will have asked; a plan adds its own. May be nil.
	Planned map[[32]byte]bool
	// Speeds are those of earlier runs, for plans; nil looks for them in the folders of runs.
	Speeds *Speeds
	// Rule may end the run before its last item; may be nil. It is of the run that was asked for, not of its stages.
	Rule *Rule
	// Batch answers in the place of servers, and is the transport of HTTP; may be nil.
	Batch *Batch
}

// Words say how whoever watches a run ends it at once, and goes on with it: at a
// terminal with keys and commands, on a page with a button and a form.
type Words struct {
	StopNow  string
	GoOn     string
	AskAgain string // how judgments without a verdict are asked for again; see [Request.AskAgain]
}

// Advised is what is said of an error, with what to do about a disk that is full.
func (w Words) Advised(err error, text string) string {
	if judging.DiskFull(err) {
		text += "; free space on the disk and " + w.GoOn
	}
	return text
}

// Observer is told what a Maker does. All but RunOpened and RunEnded may be called from many goroutines.
type Observer interface {
	// RunOpened: a run's folder was opened, and so many judgments will be asked for.
	RunOpened(run RunStart)
	// Recorded: a judgment was made and written.
	Recorded(r *judging.Record)
	// RunEnded: no more is asked for the run that was opened last.
	RunEnded()
	// Note says something to people.
	Note(text string)
}

// RunStart is a run that is about to be made, or gone on with.
type RunStart struct {
	Dir       string
	Manifest  *judging.Manifest
	Missing   int // judgments to be asked for
	Completed int // that need not be
	// AtOnce says, where so many are left, how many judgments are asked for at once, and why no more. May be nil.
	AtOnce func(left int) string
	// SoFar says what the run comes to by now, "" while that says nothing; nil where nothing is asked. Only of this run,
	// until the next is opened.
	SoFar func() string
}

// Quiet is an Observer that does nothing with what it is told.
type Quiet struct{}

var _ Observer = Quiet{}

func (Quiet) RunOpened(RunStart)       {}
func (Quiet) Recorded(*judging.Record) {}
func (Quiet) RunEnded()                {}
func (Quiet) Note(string)              {}

func (e *Maker) observer() Observer {
	if e.Observer == nil {
		return Quiet{}
	}
	return e.Observer
}

// say tells people something, in one line.
func (e *Maker) say(format string, args ...any) { e.observer().Note(fmt.Sprintf(format, args...)) }

// quiet is the same Maker, whom nobody listens to.
func (e *Maker) quiet() *Maker {
	q := *e
	q.Observer = nil
	return &q
}

func (e *Maker) folder() string { return cmp.Or(e.Runs, "runs") }

// What an error of this package may be, for errors.Is.
var (
	ErrUsage       = errors.New("usage error")                     // the request cannot be; *FieldError says which field
	ErrIncomplete  = errors.New("judgments failed or are missing") // and the same request asks for them
	ErrInterrupted = errors.New("interrupted")                     // and the same request goes on

	// ErrUnserved is the ErrIncomplete of a run that lacks no judgment, but verdicts: AskAgain asks for them.
	ErrUnserved = fmt.Errorf("no verdict: %w", ErrIncomplete)
)

// kindError is an error of one of these kinds, in its own words.
type kindError struct{ kind, err error }

func (e *kindError) Error() string        { return e.err.Error() }
func (e *kindError) Unwrap() error        { return e.err }
func (e *kindError) Is(target error) bool { return errors.Is(e.kind, target) }

func (e *FieldError) Is(target error) bool { return target == ErrUsage }

func usage(format string, args ...any) error {
	return &kindError{ErrUsage, fmt.Errorf(format, args...)}
}

// Failed is an error of a kind, one of ErrUsage, ErrIncomplete and ErrInterrupted, in its own words.
func Failed(kind, err error) error { return &kindError{kind, err} }
