package doctor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/internal/trials"
)

// busy is a server like vLLM on a machine that does other things too: of one request it reads 1000 and writes 50 tokens
// a second, and it works on several at once, on four of them together 2.6 times as fast as on one.
type busy struct {
	jitter func(r *rand.Rand) time.Duration // by which a request is late
	loads  time.Duration                    // that the first request of all takes longer
	cached bool                             // it answers a question that it answered before at once
	brief  bool                             // every other reply ends after a token, which takes no time
	// what came together is answered at once, as when its machine is idle by then
	quickens bool

	mu       sync.Mutex
	random   *rand.Rand
	loaded   bool
	requests int
	working  int
	texts    map[string]bool
}

// rate returns the speed of each of n concurrent requests, as a share of that of one alone.
func rate(n int) float64 { return min(2.6, 1+0.533*float64(n-1)) / float64(n) }

func (b *busy) chat(w http.ResponseWriter, r *http.Request) {
	var req patientRequest
	json.NewDecoder(r.Body).Decode(&req)
	prompt, text := 0, ""
	for _, m := range req.Messages {
		prompt += len(m.Content)/5 + 5
		text += m.Content
	}
	b.mu.Lock()
	late := b.jitter(b.random)
	b.requests++
	if b.brief && b.requests%2 == 0 && req.MaxTokens > 24 {
		req.MaxTokens = 1
	}
	if !b.loaded {
		b.loaded, late = true, late+b.loads
	}
	cached := b.cached && b.texts[text]
	b.texts[text] = true
	b.working++
	b.mu.Unlock()
	if prompt > 20480 {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"the input length exceeds the context length"}}`)
		req.MaxTokens, late = 0, 0
	}
	time.Sleep(late + 20*time.Millisecond)
	b.mu.Lock()
	crowded := b.quickens && b.working > 1 // seen by all who came together, before one leaves
	b.mu.Unlock()
	work := time.Duration(prompt)*time.Millisecond + time.Duration(req.MaxTokens)*20*time.Millisecond
	for work > 0 && !cached && req.MaxTokens > 0 {
		const tick = 20 * time.Millisecond
		time.Sleep(tick)
		b.mu.Lock()
		n := b.working
		b.mu.Unlock()
		if crowded {
			break
		}
		work -= time.Duration(float64(tick) * rate(n))
	}
	b.mu.Lock()
	b.working--
	b.mu.Unlock()
	if req.MaxTokens > 0 {
		message := map[string]string{"content": strings.Repeat("word ", req.MaxTokens)}
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"finish_reason": "length", "message": message}},
			"usage":   map[string]int{"prompt_tokens": prompt, "completion_tokens": req.MaxTokens},
		})
	}
}

// visited has the doctor look the server over on a clock of their own.
func (b *busy) visited(t *testing.T, seed uint64) *Report {
	b.random, b.texts = rand.New(rand.NewPCG(seed, 1)), map[string]bool{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"tiny","owned_by":"vllm","root":"tiny","max_model_len":20480}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", b.chat)
	return visit(t, Examination{}, func() http.Handler { return mux })
}

// TestSpeedOfALoadedMachineWasNoise: of a server that is late by up to two seconds at any time, whose first request
// loads the model, or before which a cache answers what was asked before, the speeds and the speed-up are about what
// they are: on a loaded machine in 19 of 20 visits, since the delay of a request may hide what its tokens take.
func TestSpeedOfALoadedMachineWasNoise(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	never := func(*rand.Rand) time.Duration { return 0 }
	for name, b := range map[string]func() *busy{
		"idle":         func() *busy { return &busy{jitter: never} },
		"loads first":  func() *busy { return &busy{jitter: never, loads: 20 * time.Second} },
		"a cache":      func() *busy { return &busy{jitter: never, cached: true} },
		"ends early":   func() *busy { return &busy{jitter: never, brief: true} },
		"a bit loaded": func() *busy { return &busy{jitter: upTo(300 * time.Millisecond)} },
		"loaded":       func() *busy { return &busy{jitter: upTo(2 * time.Second)} },
		"spikes":       func() *busy { return &busy{jitter: spikes} },
	} {
		t.Run(name, func(t *testing.T) {
			quiet := name == "idle" || name == "loads first" || name == "a cache"
			off := 0
			for seed := range uint64(20) {
				d := b().visited(t, seed)
				if d.Speed == nil || len(d.Speed.ByConcurrency) == 0 {
					t.Fatalf("no speed: %+v", d.find(t, "speed"))
				}
				single, f := d.Speed.ByConcurrency[0], d.find(t, "throughput")
				slow := min(d.Speed.ReplyRate, single.ReplyRate) < 10
				if slow || max(d.Speed.ReplyRate, single.ReplyRate) > 75 || max(d.Speed.PromptRate, single.PromptRate) > 2000 {
					t.Logf("seed %d: writes %.0f and %.0f tokens a second, and not 50; reads %.0f and %.0f, and not 1000",
						seed, d.Speed.ReplyRate, single.ReplyRate, d.Speed.PromptRate, single.PromptRate)
					off++
				}
				value, ok := f.Value.(map[string]any)
				if !ok && strings.Contains(f.Text, "which is impossible") {
					continue
				}
				times := value["times_one"].(float64)
				if times > min(9, float64(value["concurrency"].(int))) || quiet && (times < 2.2 || times > 3) {
					t.Errorf("seed %d: %+v", seed, f)
				}
			}
			if off > 1 || quiet && off > 0 {
				t.Errorf("the speeds of %d of 20 visits are far off", off)
			}
		})
	}
}

func upTo(limit time.Duration) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(limit))) }
}

// spikes are rare and long.
func spikes(r *rand.Rand) time.Duration {
	if r.IntN(5) == 0 {
		return 3 * time.Second
	}
	return 0
}

// TestImpossibleSpeedUpIsRefused: several at once cannot be faster than as many one after the other.
func TestImpossibleSpeedUpIsRefused(t *testing.T) {
	d := (&busy{jitter: func(*rand.Rand) time.Duration { return 0 }, quickens: true}).visited(t, 1)
	f := d.find(t, "throughput")
	if f.Status != Unknown || !strings.Contains(f.Text, "which is impossible") || len(d.Speed.ByConcurrency) != 1 {
		t.Errorf("%+v, speeds %+v", f, d.Speed)
	}
}
