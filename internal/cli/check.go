package cli

import (
	"cmp"
	"errors"

	"github.com/urfave/cli/v2"

	"gavel/internal/checks"
	"gavel/internal/eval"
)

// check asks the judge of a check's file and prints and writes what it found, or with --write makes such a file.
func (e *env) check(c *cli.Context) error {
	path := c.Args().First()
	if file := c.String("write"); file != "" {
		err := checks.Write(file, path, c.Bool("force"), e.say)
		if err == nil {
			e.next("check", file)
		}
		return err
	}
	file, err := checks.Open(path)
	if err != nil {
		return err
	}
	out := cmp.Or(c.String("out"), "runs/check-"+eval.FolderName(path)+e.now().Format("-20060102-150405.000"))
	maker := e.maker()
	maker.Hints.GoOn = "go on with --out " + out
	check, err := file.Ask(c.Context, maker, out, c.String("runs"))
	if c.String("format") == "junit" {
		err = errors.Join(err, check.WriteJUnit(e.stdout, err))
	} else if err == nil {
		err = e.printResult(c, check)
	}
	if err == nil && !c.IsSet("runs") {
		err = check.Save(out)
		e.say("check written to %s: check.html is its page", out)
	}
	return cmp.Or(err, check.Err())
}
