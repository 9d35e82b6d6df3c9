package datasets_test

import (
	"fmt"

	"gavel/datasets"
)

// A dataset is opened by name or by path; a sample is the same items for everyone who draws it by the same seed.
func ExampleSelection_Pick() {
	set, err := datasets.Library{}.Open("sample")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer set.Close()
	rows, err := datasets.Selection{Sample: 3, Seed: 1}.Pick(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range rows {
		item, err := set.Item(i)
		fmt.Println(item.ID, item.Group, item.Candidates[item.Gold].ID, err)
	}
	// Output:
	// sample-reasoning-08 Reasoning A <nil>
	// sample-math-02 Math B <nil>
	// sample-coding-05 Coding A <nil>
}
