package datasets

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gavel/datasets/rows"
)

// result is one output in a result file of another tool.
type result struct {
	column   string // the model, as the tool names it, with the prompt where there are several
	inputs   string // what the sample is known by: of promptfoo its variables, of lm-eval the document's hash
	id       string // the tool's own id of the sample
	question string
	asked    string // the variables as a text, where they are not the question
	text     *string
	scores   map[string]float64 // the higher the better
}

// mostResults bounds a result file, as a few bytes of an archive may stand for very many; mostSamples
// how many there are in one.
var mostResults, mostSamples int64 = 1 << 30, 1 << 20

// readResults reads the outputs of promptfoo's JSON, Inspect's .eval or JSON log, or lm-eval's samples.
func readResults(path string) (all []result, err error) {
	f, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4)
	if n, _ := f.ReadAt(head, 0); n == 4 && string(head) == "PK\x03\x04" {
		all, err = inspectArchive(f, f.Size())
	} else {
		all, err = resultsOf(bufio.NewReader(f))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

var errNoResults = errors.New("neither promptfoo's JSON, nor a log of Inspect (.eval, .json), " +
	"nor samples of lm-eval (.jsonl)")

// resultsOf reads JSON: one document of promptfoo or Inspect, or a line for each sample of lm-eval.
func resultsOf(in io.Reader) (all []result, err error) {
	limited := &io.LimitedReader{R: in, N: mostResults + 1}
	dec := json.NewDecoder(limited)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		switch {
		case limited.N <= 0 || int64(n) > mostSamples:
			return nil, fmt.Errorf("longer than %d MiB, or more than %d samples: part the file", mostResults>>20, mostSamples)
		case err == io.EOF && n > 1:
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("value %d is no JSON: %w (%w)", n, err, errNoResults)
		}
		keys := keysOf(raw)
		var one []result
		switch {
		case keys["doc_id"] != nil:
			one, err = lmEvalSample(raw)
		case keys["eval"] != nil && keys["samples"] != nil && n == 1:
			one, err = inspectLog(raw)
		case keys["results"] != nil && n == 1:
			one, err = promptfooResults(keys["results"])
		default:
			err = errNoResults
		}
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", n, describe(raw, err))
		}
		all = append(all, one...)
	}
}

// promptfooResults reads the key "results" of a file that "promptfoo eval --output FILE.json" wrote.
func promptfooResults(raw []byte) (all []result, err error) {
	var file struct {
		Results []struct {
			Provider json.RawMessage             `json:"provider"`
			Prompt   struct{ Raw, Label string } `json:"prompt"`
			Vars     map[string]any              `json:"vars"`
			Test     *int                        `json:"testIdx"`
			Response struct {
				Output json.RawMessage `json:"output"`
			} `json:"response"`
			Score *float64 `json:"score"`
		} `json:"results"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, err
	}
	prompts := map[string]map[string]bool{} // of each provider
	labels := make([]string, len(file.Results))
	for i, r := range file.Results {
		var provider struct{ ID, Label string }
		out := result{scores: map[string]float64{}}
		if json.Unmarshal(r.Provider, &out.column) != nil && json.Unmarshal(r.Provider, &provider) == nil {
			out.column = cmp.Or(provider.Label, provider.ID)
		}
		labels[i] = r.Prompt.Label
		if prompts[out.column] == nil {
			prompts[out.column] = map[string]bool{}
		}
		prompts[out.column][labels[i]] = true
		out.question = chatText(r.Prompt.Raw)
		if len(r.Vars) > 0 {
			vars, _ := json.Marshal(r.Vars) // it was JSON
			out.inputs = string(vars)
			out.asked = asText(r.Vars)
		}
		if r.Test != nil {
			out.id = fmt.Sprint(*r.Test)
		}
		out.text = outputText(r.Response.Output)
		if r.Score != nil {
			out.scores["score"] = *r.Score
		}
		all = append(all, out)
	}
	for i := range all {
		if len(prompts[all[i].column]) > 1 {
			all[i].column += " · " + labels[i]
		}
	}
	return all, nil
}

// asText are variables as a text: the only one, or each after its name.
func asText(vars map[string]any) string {
	var lines []string
	for _, name := range sortedKeys(vars) {
		line := fmt.Sprint(vars[name])
		if len(vars) > 1 {
			line = name + ": " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// outputText is an output: a text, or what JSON it is; nil for none.
func outputText(raw json.RawMessage) *string {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &text) != nil:
		text = string(raw)
	}
	return &text
}

// chatMessage of a conversation; its content is a text, or parts of which some are.
type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (m chatMessage) text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		if p.Text == "" && p.Type != "text" {
			p.Text = "[" + p.Type + "]"
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// chatText is a prompt that is a text or, as JSON, messages: then what was said to the model.
func chatText(prompt string) string {
	var messages []chatMessage
	if json.Unmarshal([]byte(prompt), &messages) != nil || len(messages) == 0 || messages[0].Role == "" {
		return prompt
	}
	var texts []string
	for _, m := range messages {
		if m.Role != "assistant" {
			texts = append(texts, m.text())
		}
	}
	return strings.Join(texts, "\n\n")
}

// inspectSample is a sample of a log of Inspect.
type inspectSample struct {
	ID     text            `json:"id"`
	Epoch  int             `json:"epoch"`
	Input  json.RawMessage `json:"input"`
	Output struct {
		Completion string `json:"completion"`
		Choices    []struct {
			Message chatMessage `json:"message"`
		} `json:"choices"`
	} `json:"output"`
	Scores map[string]struct {
		Value any `json:"value"`
	} `json:"scores"`
}

func (s inspectSample) result(model string) result {
	r := result{column: model, id: string(s.ID), scores: map[string]float64{}}
	if json.Unmarshal(s.Input, &r.question) != nil {
		r.question = chatText(string(s.Input))
	}
	if text := s.Output.Completion; text != "" {
		r.text = &text
	} else if len(s.Output.Choices) > 0 {
		r.text = new(s.Output.Choices[0].Message.text())
	}
	for name, of := range s.Scores {
		switch v := of.Value.(type) {
		case float64:
			r.scores[name] = v
		case bool:
			r.scores[name] = truth[v]
		case string: // correct, partly, incorrect, no answer
			if points, known := map[string]float64{"C": 1, "P": 0.5, "I": 0, "N": 0}[v]; known {
				r.scores[name] = points
			}
		}
	}
	return r
}

// truth is the score of a truth value.
var truth = map[bool]float64{true: 1}

type inspectHeader struct {
	Eval struct{ Model string } `json:"eval"`
}

func inspectLog(raw []byte) (all []result, err error) {
	var log struct {
		inspectHeader
		Samples []inspectSample `json:"samples"`
	}
	if err := json.Unmarshal(raw, &log); err != nil {
		return nil, err
	}
	for _, s := range log.Samples {
		all = append(all, s.result(log.Eval.Model))
	}
	return all, nil
}

// inspectArchive reads a .eval file: a zip archive with header.json and a file for each sample.
func inspectArchive(in io.ReaderAt, size int64) (all []result, err error) {
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("a zip archive that cannot be read: %w", err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip,
		zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20)))
	left := mostResults
	read := func(f *zip.File, into any) error {
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("%q in it: %w", f.Name, err)
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, left+1))
		left -= int64(len(text))
		if left < 0 {
			return fmt.Errorf("it unpacks to more than %d MiB: unpack it by hand, if it is to be trusted", mostResults>>20)
		}
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return fmt.Errorf("%q in it: %w", f.Name, err)
		}
		return nil
	}
	var header inspectHeader
	at := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == "header.json" })
	switch {
	case int64(len(archive.File)) > mostSamples:
		return nil, fmt.Errorf("%d files in it, more than %d", len(archive.File), mostSamples)
	case at < 0:
		return nil, errors.New("a zip archive without header.json: Inspect writes it at the end of an evaluation")
	}
	if err := read(archive.File[at], &header); err != nil {
		return nil, err
	}
	for _, f := range archive.File {
		if !strings.HasPrefix(f.Name, "samples/") || !strings.HasSuffix(f.Name, ".json") {
			continue
		}
		var s inspectSample
		if err := read(f, &s); err != nil {
			return nil, err
		}
		all = append(all, s.result(header.Eval.Model))
	}
	return all, nil
}

// lowerIsBetter are metrics of which no label is made.
var lowerIsBetter = regexp.MustCompile(`(?i)perplex|ppl|loss|bits_per|error|^wer|^ter`)

// lmEvalSample reads a line of samples_TASK_DATE.jsonl, as --log_samples writes them.
func lmEvalSample(raw []byte) ([]result, error) {
	var s struct {
		ID        text              `json:"doc_id"`
		Hash      string            `json:"doc_hash"`
		Arguments json.RawMessage   `json:"arguments"`
		Responses []json.RawMessage `json:"resps"`
		Filter    string            `json:"filter"`
		Metrics   []string          `json:"metrics"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	r := result{inputs: s.Hash, id: string(s.ID), scores: map[string]float64{}}
	var named map[string]map[string]json.RawMessage
	var listed [][]json.RawMessage
	if json.Unmarshal(s.Arguments, &named) == nil {
		json.Unmarshal(named["gen_args_0"]["arg_0"], &r.question)
	} else if json.Unmarshal(s.Arguments, &listed) == nil && len(listed) > 0 && len(listed[0]) > 0 {
		json.Unmarshal(listed[0][0], &r.question)
	}
	r.question = chatText(r.question)
	var tries []string // other requests than generations have numbers here
	if len(s.Responses) > 0 && json.Unmarshal(s.Responses[0], &tries) == nil && len(tries) > 0 {
		r.text = &tries[0]
	}
	keys := keysOf(raw)
	for _, m := range s.Metrics {
		var v float64
		var is bool
		switch {
		case lowerIsBetter.MatchString(m):
			continue
		case json.Unmarshal(keys[m], &is) == nil:
			v = truth[is]
		case json.Unmarshal(keys[m], &v) != nil:
			continue
		}
		r.scores[strings.TrimSpace(m+" "+s.Filter)] = v
	}
	return []result{r}, nil
}

// writeNew writes lines of items that can be read to a new file: no two may have one id.
func writeNew(path string, text []byte) error {
	if _, err := openBytes(path, text, OpenOptions{}); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: name another --out, or remove it", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err != nil {
		os.Remove(path)
	}
	return err
}
