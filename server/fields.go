package server

// fieldView is a field with what was filled in.
type fieldView struct {
	Field
	Value string
	On    bool
}

// fieldOf is a field as an order fills it in. An order without a switch leaves
// it off, unless nothing was ordered yet.
func fieldOf(f Field, o Order) fieldView {
	v := fieldView{Field: f, Value: o.or(f.Name, f.Default)}
	v.On = v.Value != "" && v.Value != "false"
	return v
}
