package datasets

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"strings"
)

var (
	//go:embed sample/pairs.jsonl
	samplePairs []byte
	//go:embed sample/choice.jsonl
	sampleChoice []byte
	//go:embed sample/number.jsonl
	sampleNumber []byte
	//go:embed sample/preference.jsonl
	samplePreference []byte
	//go:embed sample/options.jsonl
	sampleOptions []byte
)

// Known is a dataset that gavel knows by name.
type Known struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Rows    int      `json:"rows"`             // items of it
	Bytes   int64    `json:"bytes,omitempty"`  // of its file; 0 where that is not known before it is fetched
	SHA256  string   `json:"sha256,omitempty"` // as published; "" where no sum is, then that of the first file taken in is kept beside it
	Copy    string   `json:"-"`                // SHA-256 of a copy, which could not be compared with what is published
	Licence string   `json:"licence"`
	Source  string   `json:"source"`           // page a reader can go to
	URL     string   `json:"url,omitempty"`    // what fetch downloads; "" where built in or gated
	Get     string   `json:"get,omitempty"`    // how to get it, where there is nothing to download
	File    string   `json:"file,omitempty"`   // name of its file in the library, without extension; "" is Name
	Groups  []string `json:"groups,omitempty"` // the groups of the file that it is; nil for all
	Format  string   `json:"format"`
	builtin []byte
}

// Builtin tells whether the dataset comes with gavel.
func (k Known) Builtin() bool { return k.builtin != nil }

const (
	judgeBenchRaw = "https://raw.githubusercontent.com/ScalerLab/JudgeBench/e2c52c284e735e139b3daa61c206ee208f36c461/data/"
	gsm8kRaw      = "https://raw.githubusercontent.com/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/"
	symbolicRaw   = "https://raw.githubusercontent.com/apple/ml-gsm-symbolic/b6a1625025fc857300203bac9f617e5d8ec99f65/generated_data/"
	hub           = "https://huggingface.co/datasets/"
)

const (
	ours            = "Apache-2.0 (part of gavel)"
	symbolicLicence = "CC BY-NC-ND 4.0: not for commercial use, and no changed version of it may be passed on"
	mtBenchLicence  = "CC-BY-4.0 (dataset card)"
)

// Registry lists the datasets known by name. A new one is a line here.
var Registry = slices.Concat([]Known{
	{
		Name:  "sample",
		About: "gavel's own pairs: Knowledge, Reasoning, Math, Coding; every label can be checked and says how",
		Rows:  32, Licence: ours, Source: "datasets/sample/pairs.jsonl", Format: "judgebench", builtin: samplePairs,
	},
	{
		Name:  "sample-choice",
		About: "gavel's own multiple-choice questions: Knowledge, Reasoning, Math, Coding; 3 to 10 options each",
		Rows:  32, Licence: ours, Source: "datasets/sample/choice.jsonl", Format: "mmlu-pro", builtin: sampleChoice,
	},
	{
		Name:  "sample-number",
		About: "gavel's own word problems, which a number answers: Everyday, Money, Measures",
		Rows:  27, Licence: ours, Source: "datasets/sample/number.jsonl", Format: "gsm8k", builtin: sampleNumber,
	},
	{
		Name:  "sample-preference",
		About: "gavel's own pairs of responses, of which one is plainly preferred or neither: Writing, Roleplay, Humanities",
		Rows:  18, Licence: ours, Source: "datasets/sample/preference.jsonl", Format: "mt-bench", builtin: samplePreference,
	},
	{
		Name:  "judgebench-gpt4o",
		About: "JudgeBench, 350 pairs of answers by GPT-4o (2024-05-13)",
		Rows:  350, Bytes: 1960188, SHA256: "d5106306b38dead1b2e964ecf5534a3e7b2fc4b8d3b8da327599edfcebd76042",
		Licence: "MIT (dataset card); questions derive from MMLU-Pro, LiveBench and LiveCodeBench",
		Source:  hub + "ScalerLab/JudgeBench", Format: "judgebench",
		URL: judgeBenchRaw + "dataset%3Djudgebench%2Cresponse_model%3Dgpt-4o-2024-05-13.jsonl",
	},
	{
		Name:  "judgebench-claude",
		About: "JudgeBench, 270 pairs of answers by Claude-3.5-Sonnet (20240620)",
		Rows:  270, Bytes: 920039, SHA256: "3b70504588e400613bf5744a20a345da8701b7150be9a30c9db0e6f3d7b70a62",
		Licence: "MIT (dataset card); questions derive from MMLU-Pro, LiveBench and LiveCodeBench",
		Source:  hub + "ScalerLab/JudgeBench", Format: "judgebench",
		URL: judgeBenchRaw + "dataset%3Djudgebench%2Cresponse_model%3Dclaude-3-5-sonnet-20240620.jsonl",
	},
	{
		Name:    "sample-options",
		About:   "gavel's own instructions with 2 to 6 ranked options each; every place is the best one's as often as the others",
		Rows:    20,
		Licence: "Apache-2.0 (part of gavel)", Source: "datasets/sample/options.jsonl", Format: "options",
		builtin: sampleOptions,
	},
	{
		Name:  "oasst1",
		About: "OpenAssistant, release 1: message trees of 35 languages, of which the English prompts and their first replies are judged",
		Rows:  10364, Bytes: 34145252, SHA256: "2a9a8fd343e9b28e04a895a669d3253f82d93e9c174d440199ae19d5fafbdff7",
		Licence: "Apache-2.0", Source: "https://huggingface.co/datasets/OpenAssistant/oasst1", Format: "oasst-trees",
		URL: "https://huggingface.co/datasets/OpenAssistant/oasst1/resolve/fdf72ae0827c1cda404aff25b6603abec9e3399b/2023-04-12_oasst_ready.trees.jsonl.gz",
	},
	{
		Name:  "oasst2",
		About: "OpenAssistant, release 2: more message trees, read as those of oasst1",
		Rows:  13854, Bytes: 54370156, SHA256: "7a886a16ccfc1173c4f00a6897523e3c95b2785a86ee44a18a98f4f2807ee29b",
		Licence: "Apache-2.0", Source: "https://huggingface.co/datasets/OpenAssistant/oasst2", Format: "oasst-trees",
		URL: "https://huggingface.co/datasets/OpenAssistant/oasst2/resolve/179dd21fc55192153d94adb0e0ce8f69e222bf75/2023-11-05_oasst2_ready.trees.jsonl.gz",
	},
	{
		Name:  "mmlu-pro",
		About: "MMLU-Pro's test questions, 14 categories, 3 to 10 options each",
		Rows:  12032, Bytes: 4150253, Copy: "b8c790c6cc613a4b71a413230db54bcf2e2053d876ffc4c4451c94908af9e1f5",
		Licence: "MIT (dataset card)", Source: hub + "TIGER-Lab/MMLU-Pro", Format: "mmlu-pro",
		URL: hub + "TIGER-Lab/MMLU-Pro/resolve/main/data/test-00000-of-00001.parquet",
	},
	{
		Name:  "gsm8k",
		About: "GSM8K's test problems",
		Rows:  1319, Bytes: 749738, SHA256: "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
		Licence: "MIT", Source: "https://github.com/openai/grade-school-math", Format: "gsm8k",
		URL: gsm8kRaw + "test.jsonl",
	},
	symbolic("main", "100 templates of GSM8K, 50 problems from each", 5000, "GSM_symbolic.jsonl"),
	symbolic("p1", "GSM-Symbolic with one clause more, 100 templates, 50 problems from each", 5000, "GSM_p1.jsonl"),
	symbolic("p2", "GSM-Symbolic with two clauses more, 50 templates, 50 problems from each", 2500, "GSM_p2.jsonl"),
	{
		Name:  "chatbot-arena",
		About: "Chatbot Arena's 33,000 conversations with two models and a vote; those of one turn, unless turns is all",
		Rows:  33000, Licence: "gated; prompts CC-BY-4.0, answers CC-BY-NC-4.0, but see the dataset card; holds unsafe content",
		Source: hub + "lmsys/chatbot_arena_conversations", Format: "chatbot-arena",
		Get: "log in at that page, agree to its conditions, download the Parquet file under data/, and run \"gavel datasets import --as chatbot-arena FILE\"",
	},
}, mtBench())

func symbolic(set, about string, rows int, file string) Known {
	return Known{
		Name: "gsm-symbolic-" + set, About: about, Rows: rows, Licence: symbolicLicence,
		Source: "https://github.com/apple/ml-gsm-symbolic", Format: "gsm-symbolic", URL: symbolicRaw + file,
	}
}

// mtBench are the eight categories of MT-Bench, all in one file. Their rows are
// those of the first turn that more than half of the votes agree on.
func mtBench() []Known {
	rows := []int{91, 114, 98, 97, 98, 102, 100, 98}
	var all []Known
	for i, category := range mtCategories {
		all = append(all, Known{
			Name:    "mt-bench-" + strings.ToLower(category),
			About:   "MT-Bench " + category + ": pairs of answers to ten questions, with what most people preferred",
			Rows:    rows[i],
			Licence: mtBenchLicence, Source: hub + "lmsys/mt_bench_human_judgments", Format: "mt-bench",
			URL:  hub + "lmsys/mt_bench_human_judgments/resolve/main/data/human-00000-of-00001-25f4910818759289.parquet",
			File: "mt-bench-human", Groups: []string{category},
		})
	}
	return all
}

func init() {
	for i, k := range Registry {
		if k.Builtin() {
			Registry[i].Bytes, Registry[i].SHA256 = int64(len(k.builtin)), hexSum(k.builtin)
		}
	}
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Lookup finds a dataset of the registry by name.
func Lookup(name string) (Known, bool) {
	for _, k := range Registry {
		if k.Name == name {
			return k, true
		}
	}
	return Known{}, false
}

// Names lists the names of the registry.
func Names() []string {
	names := make([]string, len(Registry))
	for i, k := range Registry {
		names[i] = k.Name
	}
	return names
}
