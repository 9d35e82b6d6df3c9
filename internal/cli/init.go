package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"
)

// suiteTemplate is the suite file that `gavel init` writes.
//
//go:embed suite.yaml
var suiteTemplate []byte

// initSuite writes suiteTemplate to a new file.
func (e *env) initSuite(c *cli.Context) error {
	path := cmp.Or(c.Args().First(), "suite.yaml")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: give another name: gavel init FILE", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(suiteTemplate)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	e.say("suite written to %s: two simulated judges, to be replaced by models of yours", path)
	e.next("suite", "plan", path)
	return nil
}
