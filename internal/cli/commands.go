package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Headings of `gavel help all` whose commands are not on the first screen, `gavel --help`.
const (
	more       = "More"
	shortNames = "Short names, of what labels and carry have"
)

// commandGroup holds the commands under a heading of `gavel help all`.
type commandGroup struct {
	name     string
	commands []func(*env) *cli.Command
}

// commandGroups lists all commands in the order in which help shows them. A new command is an entry here.
func commandGroups() []commandGroup {
	labels := []func(*env) *cli.Command{labelCommand, agreeCommand, estimateCommand, selectCommand}
	carry := []func(*env) *cli.Command{bundleCommand, replayCommand, mergeCommand}
	return []commandGroup{
		{name: "First steps", commands: []func(*env) *cli.Command{
			demoCommand, doctorCommand, runCommand, serveCommand,
		}},
		{name: "Compare", commands: []func(*env) *cli.Command{
			runsCommand, scoreCommand, itemsCommand, showCommand, compareCommand, raceCommand, juryCommand, reportCommand, suiteCommand,
		}},
		{name: "People's labels", commands: []func(*env) *cli.Command{
			family("labels", "label pairs, agreement, when to trust a judge", labels),
		}},
		{name: "Data, prompts", commands: []func(*env) *cli.Command{
			datasetsCommand, promptsCommand, cacheCommand,
		}},
		{name: "Many machines", commands: []func(*env) *cli.Command{
			family("carry", "bundles, replay, shards", carry),
		}},
		{name: more, commands: []func(*env) *cli.Command{
			initCommand, referencesCommand, swayCommand, importCommand, exportCommand, planCommand, modelsCommand,
			completionCommand, versionCommand, helpCommand, docsCommand,
		}},
		{name: shortNames, commands: slices.Concat(labels, carry)},
	}
}

// buildCommands builds all commands.
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

// family returns a command with others under it, each of which also goes by its name alone: gavel label for one.
func family(name, about string, members []func(*env) *cli.Command) func(*env) *cli.Command {
	return func(e *env) *cli.Command {
		c := &cli.Command{Name: name, Usage: about}
		for _, build := range members {
			c.Subcommands = append(c.Subcommands, build(e))
		}
		return c
	}
}

// withoutFamily turns the long name of a command into the short one.
var withoutFamily = strings.NewReplacer("gavel labels ", "gavel ", "gavel carry ", "gavel ")

func versionCommand(*env) *cli.Command {
	return &cli.Command{
		Name:   "version",
		Usage:  "print the version",
		Before: noArguments,
		Action: func(c *cli.Context) error {
			cli.ShowVersion(c)
			return nil
		},
	}
}

// adopt gives every command the same manners, and the text of its page.
func adopt(before string, commands []*cli.Command) {
	for _, c := range commands {
		name := before + " " + c.Name
		short := withoutFamily.Replace(name)
		c.Description = strings.ReplaceAll(cmp.Or(c.Description, helpText(short)), short+" ", name+" ")
		c.UsageText = strings.ReplaceAll(c.UsageText, short+" ", name+" ")
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		arguments := c.Before
		c.Before = func(at *cli.Context) error {
			if f := formats(at); len(f) > 1 {
				return usage("--%s and --%s: choose one", f[0], f[1])
			}
			if arguments != nil {
				return arguments(at)
			}
			return nil
		}
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = unknownCommand
			}
			adopt(name, c.Subcommands)
		}
	}
}
