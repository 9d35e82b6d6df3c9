package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// Sizes of the network and of its vocabulary. A head has 32 channels, the least that every attention kernel and cache
// type supports.
const (
	layers         = 2
	embeddingDim   = 64                   // channels of a token's embedding
	heads          = 2                    // attention heads of a layer
	kvHeads        = 1                    // heads of keys and values, which all attention heads share
	headDim        = embeddingDim / heads // channels of a head
	feedForwardDim = 128                  // channels inside a feed-forward block
)

// chatTemplate is plain ChatML, in exactly the form that Ollama recognises and translates to its own template.
const chatTemplate = `{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// A model is a network of the Llama architecture, as metadata and tensors of a GGUF file.
type model struct {
	meta    ggml.KV
	tensors []*ggml.Tensor
	rng     *rand.Rand // draws the weights
}

// newModel returns a model with random weights that claims a context of so many tokens.
func newModel(seed uint64, context uint32) *model {
	vocab := vocabulary()
	m := &model{meta: metadata(context, vocab), rng: rand.New(rand.NewPCG(seed, 0))}
	m.addWeights(vocab)
	return m
}

// metadata returns the GGUF metadata of the network and its tokenizer.
func metadata(context uint32, vocab []piece) ggml.KV {
	var texts []string
	var scores []float32
	var kinds []int32
	for _, p := range vocab {
		texts = append(texts, p.text)
		scores = append(scores, p.score)
		kinds = append(kinds, p.kind)
	}
	return ggml.KV{
		"general.architecture":                   "llama",
		"general.name":                           "tiny random",
		"general.description":                    "Random weights, for trying servers. It knows nothing.",
		"general.file_type":                      uint32(0), // all F32
		"general.alignment":                      uint32(32),
		"llama.vocab_size":                       uint32(len(vocab)),
		"llama.context_length":                   context,
		"llama.embedding_length":                 uint32(embeddingDim),
		"llama.block_count":                      uint32(layers),
		"llama.feed_forward_length":              uint32(feedForwardDim),
		"llama.attention.head_count":             uint32(heads),
		"llama.attention.head_count_kv":          uint32(kvHeads),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(headDim),
		"llama.rope.freq_base":                   float32(10000),
		"tokenizer.ggml.model":                   "llama",
		"tokenizer.ggml.pre":                     "default",
		"tokenizer.ggml.tokens":                  texts,
		"tokenizer.ggml.scores":                  scores,
		"tokenizer.ggml.token_type":              kinds,
		"tokenizer.ggml.bos_token_id":            uint32(beginText),
		"tokenizer.ggml.eos_token_id":            uint32(endOfTurn),
		"tokenizer.ggml.unknown_token_id":        uint32(unknown),
		"tokenizer.ggml.add_bos_token":           true,
		"tokenizer.ggml.add_eos_token":           false,
		"tokenizer.ggml.add_space_prefix":        false,
		"tokenizer.chat_template":                chatTemplate,
	}
}

// decisionTemplate is the prompt of a decision model of type openjev, whose options have letters in order.
const decisionTemplate = `<|im_start|>user
{{ state }}

{{ instructions }}
{% for option in options %}{{ option.key }}
{% endfor %}Answer with the letter of an option.<|im_end|>
<|im_start|>assistant
`

// makeDecisionModel turns the model into a decision model. Type openjev of llama.cpp is an ordinary language model, of
// which the server reads the logits of each option's letter after the prompt (tools/server/server-decision.cpp).
func (m *model) makeDecisionModel() {
	m.meta["general.name"] = "tiny random decisions"
	m.meta["llama.decision.type"] = "openjev"
	m.meta["tokenizer.chat_template.systemone"] = decisionTemplate
}

// addWeights fills the network so that its replies read as words and end. Channel 0 of the residual stream has the same
// value for every token, and no layer reads or writes it, so the output matrix's column for it is a bias per token,
// which the architecture otherwise lacks. The random part of a token's logit has a standard deviation of about spread.
func (m *model) addWeights(vocab []piece) {
	const (
		constant = 6   // value of channel 0; the others have a standard deviation of 1
		channel  = 3   // approximate value of channel 0 after the last normalization
		spread   = 3   // standard deviation of the logits
		excluded = 12  // so low that a token is drawn only if a grammar allows no other
		frequent = 5.5 // above the mean so that a token is drawn every few dozen tokens
		wordBias = 2   // tokens that begin a word are drawn more often
	)
	embedding := m.random(len(vocab), embeddingDim, 1)
	for i := range vocab {
		embedding[i*embeddingDim] = constant
	}
	m.add("token_embd.weight", embeddingDim, embedding)

	for l := range layers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", l, part) }
		m.addOnes(name("attn_norm"))
		m.addInputMatrix(name("attn_q"), embeddingDim)
		m.addInputMatrix(name("attn_k"), kvHeads*headDim)
		m.addInputMatrix(name("attn_v"), kvHeads*headDim)
		m.addOutputMatrix(name("attn_output"), embeddingDim)
		m.addOnes(name("ffn_norm"))
		m.addInputMatrix(name("ffn_gate"), feedForwardDim)
		m.addInputMatrix(name("ffn_up"), feedForwardDim)
		m.addOutputMatrix(name("ffn_down"), feedForwardDim)
	}

	m.addOnes("output_norm.weight")
	output := m.random(len(vocab), embeddingDim, spread/8.) // 8 is the root of width
	for i, p := range vocab {
		row := output[i*embeddingDim : (i+1)*embeddingDim]
		switch {
		case i == endOfTurn, p.text == `"`: // these end a reply, or a string in JSON
			row[0] = frequent / float32(channel)
		case p.kind != tokenKindNormal && p.text != "<0x0A>":
			clear(row)
			row[0] = -excluded / float32(channel)
		case strings.HasPrefix(p.text, space):
			row[0] = wordBias / float32(channel)
		default:
			row[0] = 0
		}
	}
	m.add("output.weight", embeddingDim, output)
}

// addInputMatrix adds a matrix that is applied to the residual stream. Its gain makes attention choose, not average.
func (m *model) addInputMatrix(name string, rows int) {
	data := m.random(rows, embeddingDim, 0.2)
	for i := range rows {
		data[i*embeddingDim] = 0
	}
	m.add(name, embeddingDim, data)
}

// addOutputMatrix adds a matrix whose product a layer adds to the residual stream. Its gain gives the current token as
// much weight as the tokens before it.
func (m *model) addOutputMatrix(name string, cols int) {
	data := m.random(embeddingDim, cols, 0.1)
	clear(data[:cols])
	m.add(name, cols, data)
}

// add adds a matrix with rows of cols numbers. A single row makes a vector.
func (m *model) add(name string, cols int, data []float32) {
	shape := []uint64{uint64(cols)} // the fastest-moving dimension comes first
	if rows := len(data) / cols; rows > 1 {
		shape = append(shape, uint64(rows))
	}
	m.tensors = append(m.tensors, &ggml.Tensor{
		Name:     name,
		Kind:     uint32(ggml.TensorTypeF32),
		Shape:    shape,
		WriterTo: numbers(data),
	})
}

// numbers holds the values of a tensor.
type numbers []float32

func (n numbers) WriteTo(w io.Writer) (int64, error) {
	return int64(binary.Size(n)), binary.Write(w, binary.LittleEndian, n)
}

// addOnes adds a vector of ones: the scale of a normalization, which then changes nothing.
func (m *model) addOnes(name string) {
	m.add(name, embeddingDim, slices.Repeat([]float32{1}, embeddingDim))
}

// random returns a matrix of numbers drawn uniformly from an interval around zero, with a given standard deviation.
// Each step is rounded separately, so that a machine with fused multiply-add draws the same bits.
func (m *model) random(rows, cols int, deviation float32) []float32 {
	const rootOfThree = 1.7320508 // half the width of an interval whose standard deviation is 1
	half := float32(rootOfThree * deviation)
	data := make([]float32, rows*cols)
	for i := range data {
		unit := float32(int32(m.rng.Uint32()>>8)-1<<23) / (1 << 23)
		data[i] = float32(unit * half)
	}
	return data
}
