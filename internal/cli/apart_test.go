package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// Tests of commands change the working directory, the environment and settings of their process, and so cannot be
// parallel in one. Here a few top-level tests have a process of their own, and several processes run at once.

// inItsOwnProcess is set in the environment of a process that makes a few tests.
const inItsOwnProcess = "GAVEL_TEST_APART"

// apartFlags are the flags of go test with which tests can be made apart. With any other, such as one that chooses,
// profiles, covers, or lists, one process makes all tests, one after another.
var apartFlags = []string{"test.v", "test.count", "test.timeout", "test.short", "test.paniconexit0", "test.testlogfile"}

// apart makes the tests, several at a time.
type apart struct {
	args  []string // flags that every process gets
	log   string   // where go test wants to be told what the tests read
	start time.Time

	mu     sync.Mutex // of the output, and of what stands below
	inputs bytes.Buffer
	failed bool
}

// runTests is m.Run, with each test in a process of its own. It returns the exit status.
func runTests(m *testing.M) int {
	names, ok := namesOfTests()
	if os.Getenv(inItsOwnProcess) != "" || !ok {
		return m.Run()
	}
	os.Setenv(inItsOwnProcess, "1")
	os.Setenv("GOGC", "400") // short processes with little in them: collected less often they take a tenth less
	a := &apart{log: flagOf("test.testlogfile"), start: time.Now()}
	flag.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "test.testlogfile", "test.timeout":
		default:
			a.args = append(a.args, "-"+f.Name+"="+f.Value.String())
		}
	})
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0) + 1) // more than there are processors, for many a test waits
	for few := range slices.Chunk(namesOfScripts(), 12) {
		group.Go(func() error { return a.run("^TestScripts$/^(" + strings.Join(few, "|") + ")$") })
	}
	together := slices.DeleteFunc(slices.Clone(names), alone.MatchString)
	for few := range slices.Chunk(together, 4) {
		group.Go(func() error { return a.run("^(" + strings.Join(few, "|") + ")$") })
	}
	err := group.Wait()
	for _, name := range names {
		if strings.HasPrefix(name, "TestServers") && alone.MatchString(name) && err == nil {
			err = a.run("^" + name + "$")
		}
	}
	if a.log != "" && err == nil {
		err = os.WriteFile(a.log, append([]byte(inputsBegin), a.inputs.Bytes()...), 0o644)
	}
	word, status := "PASS", 0
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		word, status = "FAIL", 2
	case a.failed:
		word, status = "FAIL", 1
	}
	fmt.Println(mark() + word)
	return status
}

// alone are tests that count what a server does: nobody else may ask it meanwhile. The scripts are made a few at a
// time.
var alone = regexp.MustCompile(`^TestServers(RaceLoads|Scripts)|^TestScripts$`)

func namesOfScripts() (names []string) {
	files, _ := filepath.Glob("testdata/script/*.txt")
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".txt"))
	}
	return names
}

func flagOf(name string) string { return flag.Lookup(name).Value.String() }

// mark returns the prefix that go test -json expects before a line about a test.
func mark() string {
	if flagOf("test.v") == "test2json" {
		return "\x16"
	}
	return ""
}

// namesOfTests lists the tests. It is false where the flags do not let them be made apart.
func namesOfTests() (names []string, ok bool) {
	ok = true
	flag.Visit(func(f *flag.Flag) {
		ok = ok && (slices.Contains(apartFlags, f.Name) || !strings.HasPrefix(f.Name, "test."))
	})
	if !ok {
		return nil, false
	}
	list := exec.Command(os.Args[0], "-test.list=^(Test|Fuzz|Example)")
	list.Env = append(os.Environ(), inItsOwnProcess+"=1")
	out, err := list.Output()
	return strings.Fields(string(out)), err == nil
}

// run makes a few tests, and then prints all that they said.
func (a *apart) run(pattern string) error {
	args := append(slices.Clone(a.args), "-test.run="+pattern)
	limit := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	if limit > 0 {
		args = append(args, fmt.Sprint("-test.timeout=", max(limit-time.Since(a.start), time.Second)))
	}
	log := ""
	if a.log != "" {
		f, err := os.CreateTemp(filepath.Dir(a.log), "testlog-")
		if err != nil {
			return err
		}
		log = f.Name()
		f.Close()
		args = append(args, "-test.testlogfile="+log)
	}
	output, err := exec.Command(os.Args[0], args...).CombinedOutput()
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		return err
	}
	a.failed = a.failed || err != nil
	for _, end := range []string{"PASS\n", "FAIL\n"} {
		output = bytes.TrimSuffix(output, []byte(mark()+end))
	}
	os.Stdout.Write(output)
	if log == "" || err != nil {
		return nil
	}
	return a.takeInputs(log)
}

const inputsBegin = "# test log\n"

// takeInputs takes over the files and variables that a test has read, so that go test knows when its result is old.
func (a *apart) takeInputs(log string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	fmt.Fprintf(&a.inputs, "chdir %s\n", sourceDir)
	a.inputs.Write(bytes.TrimPrefix(text, []byte(inputsBegin)))
	return os.Remove(log)
}
