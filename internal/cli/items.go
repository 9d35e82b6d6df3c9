package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/internal/server"
	"gavel/internal/server/store"
	"gavel/judging"
)

// itemFilters pairs the flags of `gavel items` with the names of the server's filters of items.
var itemFilters = [][2]string{{"wrong", "wrong"}, {"flipped", "inconsistent"}, {"no-verdict", "open"}}

func itemsCommand(e *env) *cli.Command {
	var flags []cli.Flag
	for _, f := range itemFilters {
		flags = append(flags, &cli.BoolFlag{Name: f[0], Usage: "only items on which " + store.FindFilter(f[1]).About})
	}
	return &cli.Command{
		Name:  "items",
		Flags: flags,
		Action: e.resultAction(func(c *cli.Context) (any, error) {
			filter := server.ItemsFilter{Group: c.String("group"), Page: 1, Per: c.Int("limit")}
			for _, f := range itemFilters {
				if c.Bool(f[0]) && filter.Show != "" {
					return nil, usageError("choose one of --wrong, --flipped and --no-verdict")
				}
				if c.Bool(f[0]) {
					filter.Show = f[1]
				}
			}
			items, err := openRunItems(c)
			if err != nil {
				return nil, err
			}
			return items.List(filter)
		}),
	}
}

// openRunItems reads the items and judgments of the run that the first argument names.
func openRunItems(c *cli.Context) (*server.RunItems, error) {
	runs, err := judging.FindRuns(c.Args().Slice()[:1], 1, nil)
	if err != nil {
		return nil, err
	}
	if len(runs) > 1 {
		return nil, usageError("%s has %d runs: name one of them", c.Args().First(), len(runs))
	}
	return server.OpenItems(c.Context, runs[0])
}

// showItem returns an item of a run with its judgments. The item is named by its id, or by the beginning of the id if
// no other item's id has the same.
func showItem(c *cli.Context) (any, error) {
	if c.NArg() != 2 {
		return nil, usageError("expected RUN and ITEM, got %d arguments. See: %s --help", c.NArg(), commandLine(c))
	}
	items, err := openRunItems(c)
	if err != nil {
		return nil, err
	}
	id := c.Args().Get(1)
	var all, matches []string
	for i := range items.Len() {
		all = append(all, items.ItemID(i))
		if strings.HasPrefix(all[i], id) {
			matches = append(matches, all[i])
		}
	}
	if len(matches) == 1 {
		id = matches[0]
	}
	if i, ok := items.FindItem(id); ok {
		return items.ItemDocument(i)
	}
	hint := "gavel items RUN --limit 0 lists them"
	if near := datasets.Nearest(id, all); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, usageError("%d items of the run begin with %q: %s", len(matches), id, hint)
}
