package cli

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gavel/internal/report/table"
	"gavel/internal/server"
	"gavel/internal/server/site"
)

// siteFlags are those of gavel report that copy the server's pages.
func siteFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "site", Usage: "write a site into `DIR` instead of one page: leaderboard, runs, items, comparisons"},
		&cli.IntFlag{Name: "site-items", Value: 500, Usage: "with --site: pages for at most `N` items of each run; the others are only listed"},
	}
}

// site copies the pages of gavel serve about some runs into a folder.
func (e *env) site(c *cli.Context, dir string) error {
	for _, f := range readingFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			return usage("--%s works for a single page only, not with --site: leave it out", name)
		}
	}
	items := c.Int("site-items")
	switch {
	case c.String("out") != "" || c.Bool("force"):
		return usage("--site and --out or --force: choose one; a site replaces an earlier one by itself")
	case items < 1:
		return usage("--site-items %d: it must be at least 1", items)
	case c.NArg() < 1:
		return usage("which run? Give the folder of one or more. See: %s --help", commandLine(c))
	}
	root, names, err := site.Chosen(c.Args().Slice(), func(path string) { e.say("skipped %s: it is not a run", path) })
	if err != nil {
		return err
	}
	s, err := server.New(server.Options{Runs: root, Only: names, Static: true, Loopback: true, Version: version(), Now: e.now, Log: e.say})
	if err != nil {
		return err
	}
	defer s.Close()
	done, err := site.Write(c.Context, site.Request{Handler: s.Handler(), Dir: dir, Items: items})
	if err != nil {
		return err
	}
	e.say("site written: %d pages of %s; open %s", done.Pages, table.Count(len(names), "run"), filepath.Join(dir, "index.html"))
	return nil
}
