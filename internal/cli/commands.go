package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// group is a heading of `gavel help all`. Those before [more] are the first screen, `gavel --help`.
type group int

const (
	firstSteps group = iota
	comparing
	peoplesLabels
	dataAndPrompts
	manyMachines
	more
	shortNames // of commands of a family
)

var groupNames = []string{
	firstSteps:     "First steps",
	comparing:      "Compare",
	peoplesLabels:  "People's labels",
	dataAndPrompts: "Data, prompts",
	manyMachines:   "Many machines",
	more:           "More",
	shortNames:     "Short names, of what labels and carry have",
}

// command is an entry of the registry.
type command struct {
	group group
	place int // in the group
	name  string
	build func(*env) *cli.Command
}

var registry []command

var (
	_ = register(peoplesLabels, 10, "labels", family("label pairs, agreement, when to trust a judge",
		labelCommand, agreeCommand, estimateCommand, selectCommand))
	_ = register(manyMachines, 10, "carry", family("bundles, replay, shards",
		bundleCommand, replayCommand, mergeCommand))
	_ = register(more, 70, "version", versionCommand)
)

// register adds a command to gavel. Each file of a command does so; what it returns is for a variable that has no name.
func register(in group, place int, name string, build func(*env) *cli.Command) bool {
	registry = append(registry, command{group: in, place: place, name: name, build: build})
	return true
}

// buildCommands builds the registered commands: only the one that the arguments begin with, which saves a part of the
// time that gavel takes to start, or all where they begin with none or ask for help.
func buildCommands(e *env, args []string) (all []*cli.Command) {
	asked := registry
	if first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); first >= 0 {
		i := slices.IndexFunc(registry, func(c command) bool { return c.name == args[first] && c.name != "help" })
		if i >= 0 {
			asked = registry[i : i+1]
		}
	}
	byPlace := func(a, b command) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.place, b.place)) }
	for _, c := range slices.SortedFunc(slices.Values(asked), byPlace) {
		built := c.build(e)
		built.Name = c.name
		built.Category = groupNames[c.group]
		all = append(all, built)
	}
	return all
}

// family is a command with others under it, each of which also goes by its name alone: gavel label for one.
func family(about string, members ...func(*env) *cli.Command) func(*env) *cli.Command {
	return func(e *env) *cli.Command {
		c := &cli.Command{Usage: about}
		for _, build := range members {
			c.Subcommands = append(c.Subcommands, build(e))
		}
		return c
	}
}

// withoutFamily makes the short name of a command of the long one.
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
