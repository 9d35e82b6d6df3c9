package scoring

// OrderedMap holds a value for each key, in the order in which the keys were added.
type OrderedMap[K comparable, V any] struct {
	Values []V
	index  map[K]int
}

// Get returns a pointer to the value of a key, initially zero. It is valid until the next call.
func (t *OrderedMap[K, V]) Get(key K) *V {
	if t.index == nil {
		t.index = map[K]int{}
	}
	i, ok := t.index[key]
	if !ok {
		i = len(t.Values)
		t.index[key] = i
		t.Values = append(t.Values, *new(V))
	}
	return &t.Values[i]
}
