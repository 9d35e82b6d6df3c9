package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// pieces.txt lists the pieces of text in the order of their tokens: single characters of prompts, then what byte pair
// encoding made of them in 1,200 merges, over common English words and words of judges' prompts.
//
//go:embed pieces.txt
var pieces string

// Kinds of tokens, as numbers in GGUF, as far as used here.
const (
	tokenKindNormal  = 1
	tokenKindUnknown = 2
	tokenKindControl = 3
	tokenKindByte    = 6
)

// A piece is one token. The tokenizer prefers the merge with the higher score.
type piece struct {
	text  string
	score float32
	kind  int32 // tokenKindNormal, tokenKindUnknown, tokenKindControl or tokenKindByte
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
// and pieces merged from them. It is the same for every model.
func vocabulary() []piece {
	vocab := []piece{
		unknown:     {text: "<unk>", kind: tokenKindUnknown},
		beginText:   {text: "<s>", kind: tokenKindControl},
		endText:     {text: "</s>", kind: tokenKindControl},
		startOfTurn: {text: "<|im_start|>", kind: tokenKindControl},
		endOfTurn:   {text: "<|im_end|>", kind: tokenKindControl},
	}
	for b := range 256 {
		vocab = append(vocab, piece{text: fmt.Sprintf("<0x%02X>", b), kind: tokenKindByte})
	}
	for text := range strings.FieldsSeq(pieces) {
		// Scores only order the merges; a single character is never merged into.
		vocab = append(vocab, piece{text: text, score: -float32(len(vocab)), kind: tokenKindNormal})
	}
	return vocab
}
