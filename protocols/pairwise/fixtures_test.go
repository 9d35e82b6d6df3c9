package pairwise

import (
	"slices"
	"testing"

	"gavel/judging"
	"gavel/protocols/answer"
)

// published is where the published files lie, if they do: none of them is part
// of this repository.
const published = "../../../shared/data/judgebench"

const (
	claudePairs = published + "/data/dataset=judgebench,response_model=claude-3-5-sonnet-20240620.jsonl"
	o1Output    = published + "/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=arena_hard,judge_model=o1-mini-2024-09-12.jsonl"
	rewardModel = published + "/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=reward_model,judge_model=Skywork_Skywork-Reward-Llama-3.1-8B.jsonl"
)

func protocolNamed(t testing.TB, name, template string) judging.Asker {
	t.Helper()
	k, err := judging.ProtocolNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	tpl, err := k.Template(template)
	if err != nil {
		t.Fatal(err)
	}
	return k.New(tpl, nil)
}

// comparisons are the protocols that compare two responses.
var comparisons = []judging.Protocol{labelled(Protocol), labelled(Reversed)}

// labelled is a comparison with the prompts that ask for a label in brackets; LLMBar's has a test of its own.
func labelled(p judging.Protocol) judging.Protocol {
	p.Templates = slices.DeleteFunc(slices.Clone(p.Templates), byOutputs)
	return p
}

// What runs name is known in these tests.
func init() {
	judging.Register(answer.Protocol)
	judging.Register(Protocol)
	judging.Register(Reversed)
}
