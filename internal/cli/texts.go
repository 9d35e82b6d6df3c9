package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"
)

//go:embed commands.yaml
var commandFile []byte

// commandText holds the texts and flags of a command in commands.yaml, or a group of flags that several commands have.
type commandText struct {
	Usage     string // what the command does
	UsageText string // command line with arguments
	Arguments string // arguments that the command takes: see [checkArguments]
	Flags     flagDefinitions
	With      []string // names of groups of flags that the command has too
}

// commandTexts holds commands.yaml: by command, such as "gavel suite run" or "gavel import *" for all other commands
// below gavel import, its texts; by name of a group, its flags.
type commandTexts map[string]commandText

// readCommandTexts reads commands.yaml, which is part of the program; a test finds errors in it.
func readCommandTexts() (all commandTexts, err error) {
	err = yaml.Unmarshal(commandFile, &all)
	return all, err
}

// flags returns the flags of a command's text and of its groups.
func (all commandTexts) flags(text commandText) []cli.Flag {
	flags := slices.Clip([]cli.Flag(text.Flags))
	for _, group := range text.With {
		flags = append(flags, all[group].Flags...)
	}
	return flags
}

// flagDefinitions reads flags from YAML: for each a mapping with the kind of its value and the fields
// of the flag library's type.
type flagDefinitions []cli.Flag

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *flagDefinitions) UnmarshalYAML(list *yaml.Node) error {
	for _, n := range list.Content {
		var head struct{ Kind string }
		if err := n.Decode(&head); err != nil {
			return err
		}
		flag := newFlag(head.Kind)
		if flag == nil {
			return fmt.Errorf("line %d: unknown kind %q", n.Line, head.Kind)
		}
		if err := n.Decode(flag); err != nil {
			return err
		}
		*l = append(*l, flag)
	}
	return nil
}

// newFlag returns an empty flag for values of a kind in commands.yaml; nil for an unknown kind.
func newFlag(kind string) cli.Flag {
	return map[string]cli.Flag{
		"":         &cli.StringFlag{},
		"switch":   &cli.BoolFlag{},
		"list":     &cli.StringSliceFlag{},
		"number":   &cli.Float64Flag{},
		"int":      &cli.IntFlag{},
		"int64":    &cli.Int64Flag{},
		"uint64":   &cli.Uint64Flag{},
		"duration": &cli.DurationFlag{},
	}[kind]
}

// addTexts gives commands their texts and flags from commands.yaml, and checks that all commands share. before is the
// command that they belong to.
func (all commandTexts) addTexts(before string, commands []*cli.Command) {
	for _, c := range commands {
		name := before + " " + c.Name
		text, ok := all[name]
		if !ok {
			text = all[before+" *"]
		}
		c.Usage = cmp.Or(c.Usage, text.Usage)
		c.UsageText = cmp.Or(c.UsageText, text.UsageText)
		c.Description = cmp.Or(c.Description, helpText(name))
		c.Flags = append(c.Flags, all.flags(text)...)
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		check := c.Before
		c.Before = func(ctx *cli.Context) error {
			err := cmp.Or(applyOldFormatFlags(ctx), applyScoringFlag(ctx), checkArguments(ctx, text.Arguments))
			if err == nil && check != nil {
				err = check(ctx)
			}
			return err
		}
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = parentAction
			}
			all.addTexts(name, c.Subcommands)
		}
	}
}

// checkArguments returns an error unless the command has the expected arguments: none, NAME (one), NAME... (some) or
// [NAME] (one or none); "" allows all.
func checkArguments(c *cli.Context, expected string) error {
	name, repeats := strings.CutSuffix(expected, "...")
	optional := strings.Trim(name, "[]")
	switch n := c.NArg(); {
	case expected == "":
		return nil
	case expected == "none" && n > 0:
		return usageError("unexpected argument %q. See: %s --help", c.Args().First(), commandLine(c))
	case n > 1 && !repeats:
		return usageError("expected one %s, not %d. See: %s --help", optional, n, commandLine(c))
	case n == 0 && name == optional && expected != "none":
		return usageError("%s is missing. See: %s --help", name, commandLine(c))
	}
	return nil
}
