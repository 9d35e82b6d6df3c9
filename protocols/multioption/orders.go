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

// Values of --orders. The number of random orders follows ordersRandom.
const (
	ordersRotations = "rotations"
	ordersAll       = "all"
	ordersRandom    = "random:"
)

const (
	maxOptionsAllOrders = 4    // options up to which all permutations can be asked
	maxRandomOrders     = 1000 // most permutations that random:K shows of one item
)

// OrdersOption selects the orders in which the options of an item are shown.
var OrdersOption = judging.Option{
	Name: "orders", Label: "Orders of the options", Default: ordersRotations,
	Usage: fmt.Sprintf("`ORDERS` the options are shown in: rotations; all permutations, of at most %d options; "+
		"or random:K, K permutations drawn for each item, the same in every run", maxOptionsAllOrders),
	Check: func(value string) error { _, err := parseOrders(value); return err },
}

// orderPolicy says in which orders a run shows the options of an item; a value of OrdersOption.
// The zero value is rotations.
type orderPolicy struct {
	all    bool // all permutations
	random int  // number of permutations drawn at random; 0 for none
}

// parseOrders parses a value of --orders.
func parseOrders(value string) (orderPolicy, error) {
	switch number, random := strings.CutPrefix(value, ordersRandom); {
	case value == ordersRotations:
		return orderPolicy{}, nil
	case value == ordersAll:
		return orderPolicy{all: true}, nil
	case random:
		if k, err := strconv.Atoi(number); err == nil && k >= 2 && k <= maxRandomOrders {
			return orderPolicy{random: k}, nil
		}
		return orderPolicy{}, fmt.Errorf("%q: K is a number from 2 to %d", value, maxRandomOrders)
	}
	return orderPolicy{}, fmt.Errorf("%q: it is %s, %s or %sK", value, ordersRotations, ordersAll, ordersRandom)
}

// orders returns the orders of an item's options: order[position] is an option. Permutations are sorted, so that
// neighbours share their first positions, which helps a server's prefix cache. Rotations differ from the first position
// on, and keep the order of the paper.
func (o orderPolicy) orders(item datasets.Item) [][]int {
	n := len(item.Candidates)
	switch {
	case o.random > 0:
		return randomOrders(item.ID, n, o.random)
	case o.all && n <= maxOptionsAllOrders:
		return permutations(n)
	case o.all:
		return rotations(n)[n-1:] // for previews; Check keeps it from being asked
	}
	return rotations(n)
}

// rotations returns the n cyclic rotations of n options to the right, the unchanged order last.
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

// permutations returns all orders of n options, sorted.
func permutations(n int) [][]int {
	list := combin.Permutations(n, n)
	slices.SortFunc(list, slices.Compare)
	return list
}

// randomOrders returns k different orders of n options, sorted, or all orders if there are no more than k. They depend
// on the item's id and n alone. Those for a smaller k are among those for a larger one.
func randomOrders(item string, n, k int) [][]int {
	if factorial(n) <= k {
		return permutations(n)
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + "\x00" + item))
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
	var list [][]int
	keys := map[string]bool{}
	for len(list) < k {
		order := rng.Perm(n)
		if key := fmt.Sprint(order); !keys[key] {
			keys[key] = true
			list = append(list, order)
		}
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

// factorial returns n!, or a number above maxRandomOrders if n! is above it.
func factorial(n int) int {
	f := 1
	for i := 2; i <= n && f <= maxRandomOrders; i++ {
		f *= i
	}
	return f
}
