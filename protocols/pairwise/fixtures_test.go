package pairwise

import (
	"slices"
	"testing"

	"gavel/judging"
	"gavel/protocols/answer"
)

// published returns the place of the published files, if there are any: they are not part of this repository.
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
	return k.NewAsker(tpl, nil)
}

// comparisons lists the protocols that compare two responses.
var comparisons = []judging.Protocol{labelled(Protocol), labelled(Reversed)}

// labelled returns a comparison with the prompts that ask for a label in brackets. LLMBar's prompt has its own test.
func labelled(p judging.Protocol) judging.Protocol {
	p.Templates = slices.DeleteFunc(slices.Clone(p.Templates), hasOutputLabels)
	return p
}

// These tests register the protocols that runs name.
func init() {
	judging.Register(answer.Protocol)
	judging.Register(Protocol)
	judging.Register(Reversed)
}
