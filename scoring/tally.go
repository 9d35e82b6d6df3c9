package scoring

// Tally has a value for each key, in the order in which the keys came.
type Tally[K comparable, V any] struct {
	Values []V
	at     map[K]int
}

// Of returns the value of a key, which is at first the zero value, to be changed before the next call.
func (t *Tally[K, V]) Of(key K) *V {
	if t.at == nil {
		t.at = map[K]int{}
	}
	i, known := t.at[key]
	if !known {
		i = len(t.Values)
		t.at[key] = i
		t.Values = append(t.Values, *new(V))
	}
	return &t.Values[i]
}
