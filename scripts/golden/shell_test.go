package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"gavel/internal/cli"
)

// oneByOne makes a process run one command after the other.
const oneByOne = "GAVEL_GOLDEN_ONE_BY_ONE"

// shell runs commands in the folder and environment of a world.
type shell struct {
	process *exec.Cmd
	stderr  bytes.Buffer // of the process itself: what it says as it dies
	to      *json.Encoder
	from    *json.Decoder
}

// spoken holds the output of a command and its exit status.
type spoken struct {
	Stdout, Stderr []byte
	Code           int
}

func (w *world) newShell() *shell {
	w.t.Helper()
	s := &shell{process: w.command()}
	s.process.Env = append(s.process.Env, oneByOne+"=1")
	s.process.Stderr = &s.stderr
	in, err := s.process.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		w.t.Fatal(err)
	}
	s.to, s.from = json.NewEncoder(in), json.NewDecoder(out)
	w.t.Cleanup(func() {
		in.Close()
		s.process.Wait()
	})
	return s
}

// run runs a command and waits for it.
func (s *shell) run(args []string) (out spoken, err error) {
	timer := time.AfterFunc(commandLimit, func() { s.process.Process.Kill() })
	defer timer.Stop()
	err = s.to.Encode(args)
	if err == nil {
		err = s.from.Decode(&out)
	}
	if err != nil {
		return out, fmt.Errorf("%w (killed after %s, if not before): %s", err, commandLimit, &s.stderr)
	}
	return out, nil
}

// alone runs a command in its own process.
func (w *world) alone(args []string) (out spoken, err error) {
	var stdout, stderr bytes.Buffer
	cmd := w.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Start()
	if err != nil {
		return out, err
	}
	timer := time.AfterFunc(commandLimit, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Wait()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		err = nil
	}
	return spoken{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}, err
}

// takeCommands runs the commands in standard input and prints their results.
func takeCommands() {
	from, to := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var args []string
		if from.Decode(&args) != nil {
			return
		}
		var out spoken
		stdout, stderr := capture(&os.Stdout), capture(&os.Stderr)
		out.Code = cli.Main(args)
		out.Stdout, out.Stderr = stdout(), stderr()
		to.Encode(out)
	}
}

// capture collects what is written to a file until the returned function is called, which returns it.
func capture(file **os.File) (end func() []byte) {
	before := *file
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	*file = write
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		io.Copy(&text, read)
		close(done)
	}()
	return func() []byte {
		write.Close()
		<-done
		read.Close()
		*file = before
		return text.Bytes()
	}
}
