package cli

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// moreCommandsHeading heads the commands in `gavel help all` that the first screen, `gavel --help`, leaves out.
const moreCommandsHeading = "More"

// buildCommands builds all commands in the order in which help shows them, below the headings of `gavel help all`. A
// new command is added here.
func buildCommands(e *env) (all []*cli.Command) {
	add := func(heading string, commands ...*cli.Command) {
		for _, c := range commands {
			c.Category = heading
		}
		all = append(all, commands...)
	}
	add("First steps", command("demo", e.demo), doctorCommand(e), runCommand(e),
		command("serve", func(c *cli.Context) error { return e.serve(c, nil) }))
	add("Compare", runsCommand(e), command("score", e.score), itemsCommand(e),
		command("compare", interruptibleAction(e.resultAction(e.compare))), command("race", e.race),
		command("jury", e.makeJury), command("report", e.writeReport), suiteCommand(e))
	add("Use the judge", command("judge", e.judge), command("check", e.check))
	add("People's labels", parentCommand("labels", command("label", e.label), command("agree", e.resultAction(e.agree)),
		estimateCommand(e), command("select", e.resultAction(e.selectThresholds))))
	add("Data, prompts",
		parentCommand("datasets", command("list", e.resultAction(e.listDatasets)),
			command("show", e.resultAction(e.showDataset)), command("fetch", e.fetchDataset)),
		parentCommand("prompts", command("list", e.resultAction(e.listPrompts)), command("show", e.showPrompt)))
	add("Many machines", parentCommand("carry",
		parentCommand("bundle", command("export", e.bundleExport), command("import", e.bundleImport)),
		command("replay", e.replay), command("merge", e.merge)))
	add(moreCommandsHeading, command("show", e.resultAction(showItem)), tuneCommand(e),
		parentCommand("study", goalReversalCommand(e)), cacheCommand(e), command("init", e.initSuite), importCommand(e),
		parentCommand("export", command("parquet", e.exportParquet), command("judgebench", e.exportJudgeBench)),
		completionCommand(e), command("version", showVersion), docsCommand(e))
	return all
}

// command returns a command without subcommands; commands.yaml has its texts and flags.
func command(name string, action cli.ActionFunc) *cli.Command {
	return &cli.Command{Name: name, Action: action}
}

// oldNames maps commands of earlier versions to the commands that replace them.
var oldNames = map[string]string{
	"references":      "score --section references",
	"sway":            "score --section sway",
	"models":          "doctor --list",
	"plan":            "compare --plan",
	"datasets import": "import dataset",
	"label":           "labels label",
	"agree":           "labels agree",
	"estimate":        "labels estimate",
	"select":          "labels select",
	"bundle":          "carry bundle",
	"replay":          "carry replay",
	"merge":           "carry merge",
}

// replaceOldCommand replaces an earlier version's command, at the beginning of a command line, by the command of today.
func replaceOldCommand(args []string) []string {
	for words := min(2, len(args)); words > 0; words-- {
		if now := oldNames[strings.Join(args[:words], " ")]; now != "" {
			return append(strings.Fields(now), args[words:]...)
		}
	}
	return args
}

// parentCommand returns a command that only has the given subcommands.
func parentCommand(name string, subcommands ...*cli.Command) *cli.Command {
	return &cli.Command{Name: name, Subcommands: subcommands}
}

func showVersion(c *cli.Context) error {
	cli.ShowVersion(c)
	return nil
}
