package cli

import (
	"github.com/urfave/cli/v2"

	"gavel/internal/carry/merge"
)

var _ = register(shortNames, 70, "merge", mergeCommand)

func mergeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "merge", Usage: "make one run, or one suite, of its shards", UsageText: "gavel merge OUT SHARD... [flags]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "incomplete", Usage: "merge shards with judgments that failed or are missing"},
			&cli.BoolFlag{Name: "no-replies",
				Usage: "do not copy the shards' replies into the cache; " +
					"the merged runs then cannot be replayed, or bundled with their replies"},
			cacheFlag(),
		},
		Action: func(c *cli.Context) error {
			r := merge.Request{
				Out:        c.Args().First(),
				Shards:     c.Args().Tail(),
				Cache:      c.String("cache"),
				NoReplies:  c.Bool("no-replies"),
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
