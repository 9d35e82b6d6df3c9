package pairwise

import "gavel/judging"

// Reversed is the protocol named reversed: it asks which of two responses is the worse. Its prompts are the files of
// prompts/reversed; all else it shares with [Protocol].
var Reversed = newProtocol(judging.Protocol{
	Name:  "reversed",
	About: "two responses in both orders: which is worse? (GRP, arXiv 2503.06139)",
	Goal:  goalWorse,
}, originGRP+", \"Goal-Reversed Prompting\"", originGRP+", \"Directly Prompting\"", originGRP+", \"CoT Prompting\"",
	originArenaHard+" with the goal reversed: gavel's own, no paper has it")
