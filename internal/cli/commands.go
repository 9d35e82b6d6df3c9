package cli

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// moreCommandsHeading heads the commands in `gavel help all` that the first screen, `gavel --help`, leaves out.
const moreCommandsHeading = "More"

// commandBuilder makes a command that uses the given environment.
type commandBuilder func(*env) *cli.Command

// commandGroup holds the commands below one heading of `gavel help all`.
type commandGroup struct {
	name     string
	commands []commandBuilder
}

// commandGroups lists all commands in the order in which help shows them. A new command is an entry here.
func commandGroups() []commandGroup {
	return []commandGroup{
		{name: "First steps", commands: []commandBuilder{
			demoCommand, doctorCommand, runCommand, serveCommand,
		}},
		{name: "Compare", commands: []commandBuilder{
			runsCommand, scoreCommand, itemsCommand, compareCommand, raceCommand, juryCommand, reportCommand,
			suiteCommand,
		}},
		{name: "Use the judge", commands: []commandBuilder{
			judgeCommand, checkCommand,
		}},
		{name: "People's labels", commands: []commandBuilder{
			parentCommand("labels", labelCommand, agreeCommand, estimateCommand, selectCommand),
		}},
		{name: "Data, prompts", commands: []commandBuilder{
			datasetsCommand, promptsCommand,
		}},
		{name: "Many machines", commands: []commandBuilder{
			parentCommand("carry", bundleCommand, replayCommand, mergeCommand),
		}},
		{name: moreCommandsHeading, commands: []commandBuilder{
			showCommand, tuneCommand, parentCommand("study", goalReversalCommand), cacheCommand, initCommand, importCommand,
			exportCommand, completionCommand, versionCommand, docsCommand,
		}},
	}
}

// buildCommands builds all commands of commandGroups, in order.
func buildCommands(e *env) (all []*cli.Command) {
	for _, group := range commandGroups() {
		for _, build := range group.commands {
			c := build(e)
			c.Category = group.name
			all = append(all, c)
		}
	}
	return all
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

// parentCommand returns the builder of a command that only has the given subcommands.
func parentCommand(name string, members ...commandBuilder) commandBuilder {
	return func(e *env) *cli.Command {
		c := &cli.Command{Name: name}
		for _, build := range members {
			c.Subcommands = append(c.Subcommands, build(e))
		}
		return c
	}
}

func versionCommand(*env) *cli.Command {
	return &cli.Command{Name: "version", Action: func(c *cli.Context) error {
		cli.ShowVersion(c)
		return nil
	}}
}
