package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/carry/merge"
)

// merge makes one run, or suite, of shards.
func (e *env) merge(c *cli.Context) error {
	r := merge.Inputs{
		Out:             c.Args().First(),
		Shards:          c.Args().Tail(),
		AllowIncomplete: c.Bool("incomplete"),
	}
	if err := merge.Merge(c.Context, e.maker(), r); err != nil {
		return err
	}
	e.next("score", r.Out)
	return nil
}
