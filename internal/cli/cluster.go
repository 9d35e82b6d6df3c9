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
	engine := func(name, about string, more ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: about, UsageText: "gavel cluster " + name + " FILE.yaml > FILE", Before: oneArgument("FILE.yaml"),
			Flags: append([]cli.Flag{
				&cli.IntFlag{Name: "tasks", Value: 8, Usage: "`N` shards, each a task"},
				&cli.DurationFlag{Name: "time", Value: 24 * time.Hour, Usage: "time limit of one task: `D`, such as 4h"},
				&cli.StringFlag{
					Name: "server",
					Usage: "`COMMAND` that starts a server at port $PORT for each task; default: " +
						"the servers that the suite names",
				},
			}, more...),
			Action: func(c *cli.Context) error { return e.cluster(c, name) },
		}
	}
	return &cli.Command{
		Name: "cluster", Usage: "print a job that makes a suite in shards, for Slurm or Kubernetes",
		Subcommands: []*cli.Command{
			engine("slurm", "print a script for sbatch"),
			engine("kubernetes", "print a manifest of Jobs",
				&cli.StringFlag{Name: "image", Value: "gavel", Usage: "`IMAGE` of gavel"},
				&cli.StringFlag{
					Name:  "server-image",
					Value: "ghcr.io/ggml-org/llama.cpp:server-cuda",
					Usage: "`IMAGE` in which --server is started",
				}),
		},
	}
}

func (e *env) cluster(c *cli.Context, engine string) error {
	s, err := suite.Open(c.Args().First())
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	j := cluster.Job{
		Name: s.Name, File: c.Args().First(), Text: s.Text, Out: s.Out, Dir: dir,
		Tasks: c.Int("tasks"), Time: c.Duration("time"), Server: c.String("server"),
	}
	if engine == "kubernetes" {
		j.Image = c.String("image")
		j.ServerImage = c.String("server-image")
		j.Keys, err = s.KeyVariables()
		if err != nil {
			return err
		}
	}
	if err := s.InShards(j.Tasks, j.Time); err != nil {
		return err
	}
	return j.Write(e.stdout, engine)
}
