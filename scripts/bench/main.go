// Command bench has the parts of scripts/bench.sh: a stub of an OpenAI-compatible server, a minimal client to compare
// with, and pairs of the size of JudgeBench's.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/judging"
	_ "gavel/protocols"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: bench stub|bare|pairs [flags]")
	}
	f := flag.NewFlagSet(args[0], flag.ExitOnError)
	switch args[0] {
	case "stub":
		addr := f.String("addr", "127.0.0.1:0", "where to listen")
		file := f.String("url-file", "", "file to write the address to")
		replyTime := f.Duration("delay", 0, "how long a reply takes")
		slots := f.Int("slots", 0, "how many requests are answered at once, the others wait; 0: all")
		f.Parse(args[1:])
		return serveStub(*addr, *file, *replyTime, *slots)
	case "bare":
		url := f.String("url", "", "address of the stub")
		pairs := f.String("pairs", "", "pair file")
		conc := f.Int("concurrency", 8, "requests at once")
		f.Parse(args[1:])
		return postDirectly(*url, *pairs, *conc)
	case "pairs":
		n := f.Int("n", 3500, "how many")
		f.Parse(args[1:])
		return writePairs(os.Stdout, *n)
	}
	return fmt.Errorf("unknown part %q", args[0])
}

// stubReply is the stub's reply to a judgment; a verb stands for its reasons.
const stubReply = `{
	"id": "stub", "object": "chat.completion", "model": "stub",
	"choices": [{"index": 0, "finish_reason": "stop", "message": {
		"role": "assistant", "content": "%sMy final verdict is Assistant A is better: [[A>B]]"
	}}],
	"usage": {"prompt_tokens": 2000, "completion_tokens": 250, "total_tokens": 2250}
}`

// serveStub serves OpenAI's API at addr and answers every judgment with a verdict for the response shown first. GET
// /count returns and resets the number of calls, the most at once, and the requests for models.
func serveStub(addr, file string, replyTime time.Duration, slots int) error {
	var calls, active, peak, modelRequests atomic.Int64
	var slot chan struct{}
	if slots > 0 {
		slot = make(chan struct{}, slots)
	}
	reply := fmt.Appendf(nil, stubReply, strings.Repeat("The first answer follows the question more closely. ", 24))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		n := active.Add(1)
		defer active.Add(-1)
		for m := peak.Load(); n > m && !peak.CompareAndSwap(m, n); m = peak.Load() {
		}
		io.Copy(io.Discard, r.Body)
		calls.Add(1)
		if slot != nil {
			slot <- struct{}{}
			defer func() { <-slot }()
		}
		sleepPrecisely(replyTime)
		w.Header().Set("Content-Type", "application/json")
		w.Write(reply)
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		modelRequests.Add(1)
		io.WriteString(w, `{"object":"list","data":[{"id":"stub","object":"model","owned_by":"bench"}]}`)
	})
	mux.HandleFunc("GET /count", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%d calls, at most %d at once, %d looks at the models\n",
			calls.Swap(0), peak.Swap(0), modelRequests.Swap(0))
	})
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if file != "" {
		if err := os.WriteFile(file, []byte("http://"+l.Addr().String()), 0o644); err != nil {
			return err
		}
	}
	return http.Serve(l, mux)
}

// postDirectly posts the prompts that gavel would with http.Client and encoding/json alone: without checks, retries,
// cache, judging and records. It prints the elapsed seconds, and the seconds of CPU time.
func postDirectly(url, path string, concurrency int) error {
	requests, err := requests(path)
	if err != nil {
		return err
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = concurrency
	client := &http.Client{Transport: t}
	start, cpuStart := time.Now(), cpuTime()
	var g errgroup.Group
	g.SetLimit(concurrency)
	for _, r := range requests {
		g.Go(func() error {
			body, err := json.Marshal(r)
			if err != nil {
				return err
			}
			resp, err := client.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			var reply openai.ChatCompletionResponse
			if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
				return err
			}
			if len(reply.Choices) == 0 {
				return fmt.Errorf("no choices")
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Printf("%.4f %.4f\n", time.Since(start).Seconds(), (cpuTime() - cpuStart).Seconds())
	return nil
}

// request is the body of a request in OpenAI's format.
type request struct {
	Model       string             `json:"model"`
	Temperature float64            `json:"temperature"`
	TopP        float64            `json:"top_p"`
	Seed        int                `json:"seed"`
	MaxTokens   int                `json:"max_tokens"`
	Messages    []backends.Message `json:"messages"`
}

// requests returns the requests for all judgments of a pair file.
func requests(path string) ([]request, error) {
	set, err := datasets.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	protocol, err := judging.ProtocolNamed("pairwise")
	if err != nil {
		return nil, err
	}
	p := protocol.NewAsker(protocol.Templates[0], nil)
	var out []request
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		for _, s := range p.Presentations(item) {
			out = append(out, request{
				Model:     "stub",
				TopP:      1,
				Seed:      1,
				MaxTokens: 4096,
				Messages:  judging.FirstTurnMessages(p.Prompt(item, s), backends.RoleSystem),
			})
		}
	}
	return out, nil
}

// writePairs writes n pairs of random words, as long as JudgeBench's: about 1,000 bytes a question, 2,200 a response.
func writePairs(w io.Writer, n int) error {
	rng := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("the answer of a model to this question is judged by another which reads both " +
		"and says \"better\" <b> or worse & why \\frac{a}{b} ≥ 0.5\n\n1. Step → 2.")
	text := func(size int) string {
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(" \n"[rng.IntN(12)/11])
		}
		return b.String()
	}
	enc := codec.NewEncoder(w)
	sources := strings.Fields("mmlu-pro-law livebench-reasoning livebench-math livecodebench")
	for i := range n {
		err := enc.Encode(map[string]any{
			"pair_id":        fmt.Sprintf("bench-%07d", i),
			"original_id":    nil,
			"source":         sources[i%4],
			"question":       text(400 + rng.IntN(1200)),
			"response_model": "bench",
			"response_A":     text(1200 + rng.IntN(2000)),
			"response_B":     text(1200 + rng.IntN(2000)),
			"label":          []string{"A>B", "B>A"}[i%2],
		})
		if err != nil {
			return err
		}
	}
	return nil
}
