package multioption

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"gavel/datasets"
	"gavel/judging"
)

// Orders that options can be shown in.
const (
	ordersRotations = "rotations"
	ordersAll       = "all"
	ordersRandom    = "random:"
)

const (
	mostForAll = 4    // options of which all permutations are asked for
	mostRandom = 1000 // permutations drawn
)

// OrdersOption says in which orders the options of an item are shown.
var OrdersOption = judging.Option{
	Name: "orders", Label: "Orders of the options", Default: ordersRotations,
	Usage: fmt.Sprintf("`ORDERS` the options are shown in: rotations; all permutations, of at most %d options; "+
		"or random:K, K permutations drawn for each item, the same in every run", mostForAll),
	Check: func(value string) error { _, err := parseOrders(value); return err },
}

// ordering is a value of OrdersOption; the zero value is rotations.
type ordering struct {
	all    bool
	random int
}

func parseOrders(value string) (ordering, error) {
	switch number, random := strings.CutPrefix(value, ordersRandom); {
	case value == ordersRotations:
		return ordering{}, nil
	case value == ordersAll:
		return ordering{all: true}, nil
	case random:
		if k, err := strconv.Atoi(number); err == nil && k >= 2 && k <= mostRandom {
			return ordering{random: k}, nil
		}
		return ordering{}, fmt.Errorf("%q: K is a number from 2 to %d", value, mostRandom)
	}
	return ordering{}, fmt.Errorf("%q: it is %s, %s or %sK", value, ordersRotations, ordersAll, ordersRandom)
}

// of lists the orders of one item. Two orders of it have the same beginning up to the first position where they differ,
// and a server's prefix cache needs no more than that one follows the other: so permutations are sorted. Rotations all
// differ from the first position on, and stand as the paper lists them.
func (o ordering) of(item datasets.Item) [][]int {
	n := len(item.Candidates)
	switch {
	case o.random > 0:
		return drawn(item.ID, n, o.random)
	case o.all && n <= mostForAll:
		return permutations(n)
	case o.all:
		return rotations(n)[n-1:] // to look at; Check keeps it from being asked
	}
	return rotations(n)
}

// rotations lists the cyclic rotations to the right, the identity last.
func rotations(n int) [][]int {
	list := make([][]int, n)
	for i := range list {
		order := make([]int, n)
		for position := range order {
			order[position] = (position + n - 1 - i) % n
		}
		list[i] = order
	}
	return list
}

// permutations lists them all, sorted.
func permutations(n int) [][]int {
	list := combin.Permutations(n, n)
	slices.SortFunc(list, slices.Compare)
	return list
}

// drawn lists k different permutations, sorted, or all where there are no more. They depend on the item and on how many
// options it has, and a larger k holds the smaller.
func drawn(item string, n, k int) [][]int {
	if factorial(n) <= k {
		return permutations(n)
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + "\x00" + item))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
	var list [][]int
	seen := map[string]bool{}
	for len(list) < k {
		order := rng.Perm(n)
		if key := fmt.Sprint(order); !seen[key] {
			seen[key] = true
			list = append(list, order)
		}
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

// factorial of n, or a number beyond any that is asked for.
func factorial(n int) int {
	f := 1
	for i := 2; i <= n && f <= mostRandom; i++ {
		f *= i
	}
	return f
}
