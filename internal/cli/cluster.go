package cli

import (
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"gavel/internal/carry/cluster"
	"gavel/internal/suite"
)

var _ = register(shortNames, 80, "cluster", clusterCommand)

func clusterCommand(e *env) *cli.Command {
	return &cli.Command{
		Name: "cluster", Usage: "print a job for Slurm that makes a suite in shards",
		Subcommands: []*cli.Command{{
			Name: "slurm", Usage: "print a script for sbatch", UsageText: "gavel cluster slurm FILE.yaml > FILE",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "tasks", Value: 8, Usage: "`N` shards, each a task"},
				&cli.DurationFlag{Name: "time", Value: 24 * time.Hour, Usage: "time limit of one task: `D`, such as 4h"},
				&cli.StringFlag{
					Name: "server",
					Usage: "`COMMAND` that starts a server at port $PORT for each task; default: " +
						"the servers that the suite names",
				},
			},
			Before: oneArgument("FILE.yaml"),
			Action: e.cluster,
		}},
	}
}

func (e *env) cluster(c *cli.Context) error {
	s, err := suite.Open(c.Args().First())
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	j := cluster.Job{
		Name: s.Name, File: c.Args().First(), Out: s.Out, Dir: dir,
		Tasks: c.Int("tasks"), Time: c.Duration("time"), Server: c.String("server"),
	}
	if err := s.InShards(j.Tasks, j.Time); err != nil {
		return err
	}
	return j.Write(e.stdout)
}
