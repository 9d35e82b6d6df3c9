package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/eval"
)

// completions holds the completion scripts, a file for each of shells.
//
//go:embed completion
var completions embed.FS

// shells lists the shells with a completion script; its file has the shell's name.
var shells = strings.Fields("bash zsh fish powershell")

// completionArgument is the last argument when a completion script asks gavel for the words that may follow.
const completionArgument = "--generate-bash-completion"

func completionCommand(e *env) *cli.Command {
	c := &cli.Command{Name: "completion"}
	for _, shell := range shells {
		c.Subcommands = append(c.Subcommands, &cli.Command{
			Name: shell, Usage: "the script for " + shell,
			Action: func(*cli.Context) error {
				text, err := completions.ReadFile("completion/" + shell)
				if err == nil {
					_, err = e.stdout.Write(text)
				}
				return err
			},
		})
	}
	return c
}

// printCompletions prints the words that may follow a command line, one a line; none if a file name may follow.
func (e *env) printCompletions(app *cli.App, args []string) {
	command, rest := findSubcommand(app, args)
	flags, commands := command.Flags, command.Subcommands
	last := strings.Join(rest[max(0, len(rest)-1):], "")
	var words []string
	switch flag := strings.TrimLeft(last, "-"); {
	case last == "--"+flag && flagNamed(flags, flag) != nil:
		words = map[string][]string{ // other flags have no fixed list of values
			"dataset": datasets.Names(),
			"as":      datasets.Names(),
			"backend": eval.Backends,
			"format":  formatNames,
			"think":   backends.ThinkValues,
		}[flag]
	case strings.HasPrefix(last, "-"):
		words = []string{"--help"}
		for _, f := range flags {
			if hideable, ok := f.(cli.VisibleFlag); !ok || hideable.IsVisible() {
				words = append(words, "--"+f.Names()[0])
			}
		}
	default:
		for _, c := range visibleCommands(commands) {
			words = append(words, c.Name)
		}
	}
	for _, w := range words {
		fmt.Fprintln(e.stdout, w)
	}
}
