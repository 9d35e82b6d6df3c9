// Command gavel tells which open-weight model can be trusted as a judge.
package main

import (
	"os"

	"gavel/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
