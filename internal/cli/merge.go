package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/carry/merge"
)

func mergeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "make one run, or one suite, of its shards",
		UsageText: "gavel carry merge OUT SHARD... [flags]",
		Flags: []cli.Flag{
			boolFlag("incomplete", "merge shards with judgments that failed or are missing"),
			unusedCacheFlag(),
			&cli.BoolFlag{Name: "no-replies", Hidden: true}, // no merge touches the cache
		},
		Action: func(c *cli.Context) error {
			r := merge.Inputs{
				Out:        c.Args().First(),
				Shards:     c.Args().Tail(),
				Incomplete: c.Bool("incomplete"),
			}
			if err := merge.Merge(c.Context, e.maker(), r); err != nil {
				return err
			}
			e.next("gavel", "score", r.Out)
			return nil
		},
	}
}
