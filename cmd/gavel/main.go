// Command gavel measures how far open-weight models can be trusted as judges.
package main

import (
	"os"

	"gavel/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
