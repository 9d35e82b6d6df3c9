package multioption

import (
	"gavel/judging"
)

// What runs name is known in these tests.
func init() {
	judging.Register(Protocol)
}
