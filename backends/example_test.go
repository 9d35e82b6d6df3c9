package backends_test

import (
	"context"
	"fmt"

	"gavel/backends"
)

// A simulated judge stands in wherever a Client is wanted. This one knows every answer, and names what it reads first
// all the same.
func ExampleNewSimulatedJudge() {
	judge, err := backends.NewSimulatedJudge("accuracy=1,first=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for order, position := range []int{0, 1} { // the right candidate is shown first, then second
		reply, err := judge.Ask(context.Background(), backends.Request{Oracle: &backends.Oracle{
			Item: "q1", Presentation: order, VerdictLabels: []string{"[[A>B]]", "[[B>A]]"}, Order: []int{order, 1 - order}, CorrectPosition: position,
		}})
		fmt.Println(reply.Text, err)
	}
	// Output:
	// Simulated judgment. My final verdict is: [[A>B]] <nil>
	// Simulated judgment. My final verdict is: [[A>B]] <nil>
}
