package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// words.txt lists common English words, and words of judges' prompts, roughly by frequency.
//
//go:embed words.txt
var words string

// Kinds of tokens, as numbers in GGUF, as far as used here.
const (
	kindNormal  = 1
	kindUnknown = 2
	kindControl = 3
	kindByte    = 6
)

// A piece is one token. The tokenizer prefers the merge with the higher score.
type piece struct {
	text  string
	score float32
	kind  int32 // kindNormal, kindUnknown, kindControl or kindByte
}

// Indexes of tokens that the model's metadata refers to. A reply ends with endOfTurn, as in models tuned on ChatML.
const (
	unknown = iota
	beginText
	endText
	startOfTurn
	endOfTurn
	firstByte
)

// space stands for a blank in a SentencePiece vocabulary.
const space = "▁"

// vocabulary returns a SentencePiece vocabulary: control tokens, the 256 bytes for any other text, single characters,
// and pieces merged from them. It is the same for every model, and takes most of the time to make.
var vocabulary = sync.OnceValue(func() []piece {
	vocab := []piece{
		unknown:     {text: "<unk>", kind: kindUnknown},
		beginText:   {text: "<s>", kind: kindControl},
		endText:     {text: "</s>", kind: kindControl},
		startOfTurn: {text: "<|im_start|>", kind: kindControl},
		endOfTurn:   {text: "<|im_end|>", kind: kindControl},
	}
	for b := range 256 {
		vocab = append(vocab, piece{text: fmt.Sprintf("<0x%02X>", b), kind: kindByte})
	}
	for _, text := range slices.Concat(characters(), mergePieces(trainingWords(), merges)) {
		// Scores only order the merges; a single character is never merged into.
		vocab = append(vocab, piece{text: text, score: -float32(len(vocab)), kind: kindNormal})
	}
	return vocab
})

// characters lists the single characters of the vocabulary: the space, ASCII, and some others of judges' prompts.
func characters() []string {
	chars := []string{space}
	for c := '!'; c <= '~'; c++ {
		chars = append(chars, string(c))
	}
	return append(chars, strings.Split("’‘“”–—…•éèüöäñç°×÷≤≥≠√π", "")...)
}

// weighted holds a word of the training text, split into pieces.
type weighted struct {
	pieces []string
	weight int // how often the word counts
}

// trainingWords returns each word of the list within a sentence, at its beginning, and after a bracket or quote.
// Weights follow Zipf's law by the position in the list. They are integers, so that sums do not depend on their order.
func trainingWords() []weighted {
	var out []weighted
	for i, w := range strings.Fields(words) {
		weight := 1_000_000 / (i + 10)
		title := strings.ToUpper(w[:1]) + w[1:]
		for j, form := range []string{space + w, space + title, w, title} {
			out = append(out, weighted{strings.Split(form, ""), weight >> (2 * j)})
		}
	}
	return out
}

// mergePieces performs byte pair encoding: n times, the adjacent pair with the highest weight becomes one piece, of
// equal pairs the first in alphabetical order. It returns the new pieces in order, and changes ws.
func mergePieces(ws []weighted, n int) []string {
	var out []string
	for range n {
		counts := map[[2]string]int{}
		for _, w := range ws {
			for i := 1; i < len(w.pieces); i++ {
				counts[[2]string{w.pieces[i-1], w.pieces[i]}] += w.weight
			}
		}
		var best [2]string
		for pair, c := range counts {
			if c > counts[best] || c == counts[best] && slices.Compare(pair[:], best[:]) < 0 {
				best = pair
			}
		}
		if counts[best] == 0 {
			break
		}
		for i := range ws {
			ws[i].pieces = merge(ws[i].pieces, best)
		}
		// A piece may result from two merges; the vocabulary has it once.
		if text := best[0] + best[1]; !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// merge replaces each occurrence of a pair in pieces by one piece, in place.
func merge(pieces []string, pair [2]string) []string {
	out := pieces[:0]
	for i := 0; i < len(pieces); i++ {
		if i+1 < len(pieces) && pieces[i] == pair[0] && pieces[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
			continue
		}
		out = append(out, pieces[i])
	}
	return out
}
