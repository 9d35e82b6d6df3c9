// Command tinymodel writes a tiny language model with random weights, as a GGUF file that llama.cpp and Ollama load.
//
// The model judges nothing and says nothing: its replies are words drawn by chance. It exists so that gavel can
// be tried against real servers on any machine, in seconds and without downloading weights. What such a trial
// meets is real: the tokenizer, the chat template, the context limit, the grammars, the log probabilities, the
// usage counts and the errors.
//
// The same seed gives the same bytes on every machine.
//
// With -decision it is a decision model, which llama.cpp serves at /v1/systemone: it writes nothing, and gives each
// option the probability of its letter.
//
//	go run ./scripts/tinymodel -out tiny.gguf [-seed 1] [-context 32768] [-decision]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/fs/ggml"

	"gavel/internal/disk"
)

type options struct {
	out     string
	seed    uint64
	context uint

	decision bool
}

func main() {
	if err := tinymodel(os.Stderr, os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "tinymodel:", err)
		os.Exit(1)
	}
}

func tinymodel(stderr io.Writer, args []string) error {
	var o options
	fs := flag.NewFlagSet("tinymodel", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.out, "out", "", "write the model to `FILE`")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the weights")
	fs.UintVar(&o.context, "context", 32768, "context length the model claims, in tokens")
	fs.BoolVar(&o.decision, "decision", false, "make a decision model")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; the file is named with -out", fs.Arg(0))
	case o.out == "":
		return errors.New("no file named; try: tinymodel -out tiny.gguf")
	case o.context < 16 || o.context > 1<<20:
		return fmt.Errorf("-context %d is outside 16 to %d", o.context, 1<<20)
	}
	folder, err := os.OpenRoot(filepath.Dir(o.out))
	if err != nil {
		return err
	}
	defer folder.Close()
	file, err := disk.Create(folder, filepath.Base(o.out)) // it gets its name in one step: no server reads half a model
	if err != nil {
		return err
	}
	defer file.Discard()
	m := newModel(o.seed, uint32(o.context))
	if o.decision {
		m.decides()
	}
	err = ggml.WriteGGUF(file.File, m.meta, m.tensors)
	if err != nil {
		return err
	}
	return file.Commit()
}
