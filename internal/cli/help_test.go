package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gavel/internal/cli/clitest"
)

// TestHelpFits: help is no wider than the terminal, but for what is not to be broken: examples, commands, long words.
func TestHelpFits(t *testing.T) {
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	all := pages(app)
	for _, m := range all {
		asIs := map[string]bool{}
		for line := range strings.SplitSeq(m.Text, "\n") {
			asIs["   "+line] = strings.HasPrefix(line, " ") || strings.Contains(line, "   ")
		}
		for _, width := range []int{60, 80, 100, 140} {
			for line := range strings.SplitSeq(m.Help(width), "\n") {
				if n := utf8.RuneCountInString(line); n > width && !asIs[line] && len(strings.Fields(line)) > 1 {
					t.Errorf("%s at %d columns: %d in %q", m.Name, width, n, line)
				}
			}
		}
	}
	if len(all) < 40 {
		t.Errorf("%d commands", len(all))
	}
}

// TestHelpTexts: each text is that of a command.
func TestHelpTexts(t *testing.T) {
	files, err := helpTexts.ReadDir("help")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	var names []string
	for _, p := range pages(newApp(newEnv(nil, os.Stdout, os.Stderr))) {
		names = append(names, strings.ReplaceAll(withoutFamily.Replace(p.Name), " ", "-")+".txt")
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("help/%s is no command's", f.Name())
		}
		if info, err := f.Info(); err != nil || info.Size() < 20 {
			t.Errorf("help/%s says nothing (%v)", f.Name(), err)
		}
	}
}

func TestHelpOfARun(t *testing.T) {
	help := mustCall(t, "run", "pairwise", "--help")
	if strings.Contains(help, "default: false") {
		t.Error("a switch says that it is off unless it is given")
	}
	if strings.Contains(help, "gsm8k") || !strings.Contains(help, "judgebench-gpt4o") {
		t.Error("other datasets than those that the protocol takes")
	}
	last := 0
	for _, what := range []string{"--model NAME", "--dataset NAME", "--base-url URL ...", "--dry-run", "what is asked", "how it is asked", "which server", "--json"} {
		at := strings.Index(help, "   "+what)
		if at < last {
			t.Errorf("%s stands at %d, after %d", what, at, last)
		}
		last = at
	}
	if help := mustCall(t, "help", "all"); !strings.Contains(help, "VERSION:\n   "+version()) || !strings.Contains(help, "\n   version ") {
		t.Error("no version in help")
	}
	if got := mustCall(t, "version"); got != mustCall(t, "--version") {
		t.Errorf("gavel version says %q", got)
	}
}

// TestFirstScreen: gavel, alone and with --help, lists what most people need in the lines of one screen; "help all" has
// every command.
func TestFirstScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	first := mustCall(t, "--help")
	if first != mustCall(t) || first != mustCall(t, "help") {
		t.Error("gavel, gavel help and gavel --help differ")
	}
	if lines := strings.Count(first, "\n"); lines > 24 {
		t.Errorf("the first screen has %d lines", lines)
	}
	all := mustCall(t, "help", "all")
	screen := 0
	for _, c := range visible(newApp(newEnv(nil, os.Stdout, os.Stderr)).Commands) {
		line := regexp.MustCompile(`(?m)^.{16}` + c.Name + " ")
		onScreen := slices.Index(groupNames, c.Category) < int(more)
		if line.MatchString(first) != onScreen {
			t.Errorf("%s of %q on the first screen: %t", c.Name, c.Category, !onScreen)
		}
		if onScreen {
			screen++
		}
		if !strings.Contains(all, "\n   "+c.Name+" ") {
			t.Errorf("help all lacks %s", c.Name)
		}
	}
	if screen < 14 || screen > 17 {
		t.Errorf("%d commands on the first screen", screen)
	}
}

// TestFamilies: each command of a family also goes by its short name, with the same flags; each page has examples that
// can be typed as they stand there.
func TestFamilies(t *testing.T) {
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	app.Setup()
	members := 0
	for _, family := range app.Commands {
		if family.Name != "labels" && family.Name != "carry" {
			continue
		}
		for _, member := range family.Subcommands {
			members++
			long := mustCall(t, family.Name, member.Name, "--help")
			short := mustCall(t, member.Name, "--help")
			if !strings.Contains(long, "gavel "+family.Name+" "+member.Name) || strings.Contains(long, "gavel "+member.Name+" ") {
				t.Errorf("the page of %s %s: %s", family.Name, member.Name, long)
			}
			words := func(page string) string {
				return strings.Join(strings.Fields(strings.ReplaceAll(page, "gavel "+family.Name+" ", "gavel ")), " ")
			}
			if words(long) != words(short) {
				t.Errorf("gavel %s says something else than gavel %s %s:\n%s", member.Name, family.Name, member.Name, short)
			}
		}
	}
	if members != 7 {
		t.Errorf("%d commands in families", members)
	}
}

// TestCommandsPage: docs/cli.md says what the commands say.
func TestCommandsPage(t *testing.T) {
	allRounds(t)
	if read(t, filepath.Join(sourceDir, "../../docs/cli.md")) != mustCall(t, "docs", "markdown") {
		t.Error("docs/cli.md is not what the commands say: run scripts/docs.sh")
	}
}

func TestDidYouMean(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "2", "--out", "runs/first-judge")
	for line, want := range map[string]string{
		"labels agre":                `unknown command "agre", did you mean agree? There are: label, agree`,
		"nosuch":                     `unknown command "nosuch". See: gavel --help`,
		"list":                       `unknown command "list", did you mean runs?`,
		"leaderboard --runs x":       `unknown command "leaderboard", did you mean serve?`,
		"view":                       `unknown command "view", did you mean serve?`,
		"rank runs":                  `unknown command "rank", did you mean score?`,
		"run pairwise --canaries -5": `--canaries -5: it must be at least 0`,
		"run pairwise --model accuracy=1.8 --dataset sample": `accuracy is a probability, from 0 to 1, not "1.8"`,
		"run pairwse":                           `unknown protocol "pairwse", did you mean pairwise? There are: pairwise, reversed`,
		"run pairwse --model coin":              `unknown protocol "pairwse", did you mean pairwise?`,
		"scoer runs/x":                          `unknown command "scoer", did you mean score?`,
		"dataset list":                          `unknown command "dataset", did you mean datasets?`,
		"datasets lst":                          `unknown command "lst", did you mean list?`,
		"datasets fetch gsm8":                   `unknown dataset "gsm8", did you mean gsm8k?`,
		"run pairwise --dataset smple":          `unknown dataset "smple", did you mean sample?`,
		"run --backend sim":                     `the protocol is missing: write it before --backend. There are: pairwise, `,
		"run --backend=sim pairwise":            `the protocol is missing: write it before --backend=sim.`,
		"suite --shard 1/2":                     `the command is missing: write it before --shard. There are: plan, run`,
		"run pairwise --datset sample":          `unknown flag --datset, did you mean --dataset?`,
		"score runs/first-jugde":                "runs/first-jugde: there is no such run, did you mean " + filepath.Join("runs", "first-judge") + "?",
		"run frobnicate":                        `unknown protocol "frobnicate". There are: pairwise`,
		"label x --by disagreement":             "--by was taken away: leave it out",
		"score runs/x --contested c.jsonl":      "--contested was taken away: correct the label in the dataset",
		"suite plna x.yaml":                     `unknown command "plna", did you mean plan?`,
		"completion bsh":                        `unknown command "bsh", did you mean bash?`,
		"import judgbench x.jsonl --out runs/x": `unknown command "judgbench", did you mean judgebench?`,
	} {
		args := strings.Fields(line)
		if strings.HasPrefix(line, "run pairwise --") {
			args = append([]string{"run", "pairwise", "--backend", "sim", "--model", "coin"}, args[2:]...)
		}
		ends(t, anyFailure, want, args...)
	}
}

// TestNext: what to do next is said on standard error, or beneath the answer of a run, and can be done.
func TestNext(t *testing.T) {
	home(t)
	putExamples(t)
	sim := []string{"--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "4"}
	made := mustCall(t, append([]string{"run", "pairwise", "--out", "runs/with a space"}, sim...)...)
	if _, next, said := strings.Cut(made, " gavel score "); said {
		command, _, _ := strings.Cut(next, "  every way")
		shows(t, "first-order", words("score "+command)...)
	} else {
		t.Errorf("a run does not say what comes next:\n%s", made)
	}
	for _, args := range [][]string{
		{"suite", "plan", "docs/examples/first.yaml"},
		{"bundle", "export", "runs/with a space", "--out", "x.tar"},
		{"bundle", "import", "x.tar", "--runs", "elsewhere"},
	} {
		stdout, stderr, code := call(t, args...)
		_, next, said := strings.Cut(stderr, "next: gavel ")
		if code != 0 || said == (args[1] == "export") || strings.Contains(stdout, "next:") {
			t.Errorf("gavel %q: %d\n%s", args, code, stderr)
			continue
		}
		if said {
			mustCall(t, words(strings.TrimSpace(next))...)
		}
	}
	if _, stderr, _ := call(t, append([]string{"run", "pairwise", "--dry-run"}, sim...)...); strings.Contains(stderr, "next:") {
		t.Error("a plan says what comes after a run")
	}
}

// TestCompletion: every script is there, and bash completes by its own.
func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		shows(t, completing, "completion", shell.name)
	}
	for line, want := range map[string]string{
		"":                        "demo doctor run serve",
		"run":                     "pairwise reversed answer self-reference multi-option",
		"run pairwise --ba":       "--help --model --dataset",
		"run pairwise --dataset":  "sample sample-choice",
		"run pairwise --model":    "",
		"score":                   "",
		"datasets":                "list show fetch import",
		"run pairwise --model x":  "",
		"run pairwise --think":    "auto on off low medium high",
		"completion":              "bash zsh fish powershell",
		"suite plan":              "",
		"docs markdown something": "",
	} {
		got := strings.Join(strings.Fields(mustCall(t, append(strings.Fields(line), completing)...)), " ")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("after %q: %q, want %q", line, got, want)
		}
	}
}

func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	if _, err := clitest.Link(dir); err != nil {
		t.Fatal(err)
	}
	script := write(t, filepath.Join(dir, "gavel.bash"), mustCall(t, "completion", "bash"))
	for line, want := range map[string]string{
		"gavel sc":                              "score",
		"gavel run pair":                        "pairwise",
		"gavel run pairwise --data":             "--dataset",
		"gavel run pairwise --dataset judge":    "judgebench-gpt4o judgebench-claude judgebench-pro",
		"gavel run pairwise --model x --backen": "--backend",
		"gavel suite ":                          "plan run status results",
		"gavel score ":                          "", // files
	} {
		typed := strings.Split(line, " ")
		cmd := exec.Command(bash, "--norc", "-c", `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gavel; echo "${COMPREPLY[*]}"`, "bash", script)
		cmd.Args = append(cmd.Args, typed...)
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q is completed by %q, want %q (%v)", line, got, want, err)
		}
	}
}
