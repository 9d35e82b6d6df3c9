package eval_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/protocols/pairwise"
)

// A request says all of a run; a Maker makes it, in a folder. The same request again would ask only for what is
// missing.
func ExampleMaker_Run() {
	dir, err := os.MkdirTemp("", "gavel")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	r, err := eval.ParseRequest(pairwise.Protocol, map[string][]string{
		"backend": {"sim"}, "model": {"accuracy=0.9,first=0.1"}, "dataset": {"sample"}, "no-cache": {"true"}, "out": {dir + "/run"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	maker := &eval.Maker{HTTP: backends.NewHTTPClient(1), Getenv: os.Getenv, Now: time.Now, Version: "example"}
	reports, err := maker.Run(context.Background(), r)
	if err != nil {
		fmt.Println(err)
		return
	}
	strict := reports[0].Results[0]
	fmt.Printf("%s %.2f %% of %d pairs\n", strict.Metric, *strict.Value, strict.N)
	// Output:
	// strict 81.25 % of 32 pairs
}
