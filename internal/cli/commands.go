package cli

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"
)

// command is an entry of the registry.
type command struct {
	place int // among all, as help lists them
	build func(*env) *cli.Command
}

var registry []command

var _ = register(270, versionCommand)

// register adds a command to gavel. Each file of a command does so; what it returns is for a variable that has no name.
func register(place int, build func(*env) *cli.Command) bool {
	registry = append(registry, command{place: place, build: build})
	return true
}

// buildCommands builds the registered commands.
func buildCommands(e *env) (all []*cli.Command) {
	byPlace := func(a, b command) int { return cmp.Compare(a.place, b.place) }
	for _, c := range slices.SortedFunc(slices.Values(registry), byPlace) {
		all = append(all, c.build(e))
	}
	return all
}

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
		c.Description = cmp.Or(c.Description, helpText(name))
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
