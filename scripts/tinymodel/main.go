// Command tinymodel writes a tiny language model with random weights, as a GGUF file that llama.cpp and Ollama load.
//
// Its replies are random words. It serves to test gavel with real servers on any machine, in seconds and without
// downloading weights: the tokenizer, the chat template, the context limit, the grammars, the log probabilities, the
// usage counts and the errors are real.
//
// The same seed gives the same bytes on every machine.
//
// With -decision it is a decision model, which llama.cpp serves at /v1/systemone: it writes no text, and gives each
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

	"github.com/ollama/ollama/fs/ggml"
)

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
	fs := flag.NewFlagSet("tinymodel", flag.ContinueOnError)
	fs.SetOutput(stderr)
	out := fs.String("out", "", "write the model to `FILE`")
	seed := fs.Uint64("seed", 1, "seed of the weights")
	context := fs.Uint("context", 32768, "context length the model claims, in tokens")
	decision := fs.Bool("decision", false, "make a decision model")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; the file is named with -out", fs.Arg(0))
	case *out == "":
		return errors.New("no file named; try: tinymodel -out tiny.gguf")
	case *context < 16 || *context > 1<<20:
		return fmt.Errorf("-context %d is outside 16 to %d", *context, 1<<20)
	}
	file, err := os.Create(*out)
	if err != nil {
		return err
	}
	m := newModel(*seed, uint32(*context))
	if *decision {
		m.makeDecisionModel()
	}
	return errors.Join(ggml.WriteGGUF(file, m.meta, m.tensors), file.Close())
}
