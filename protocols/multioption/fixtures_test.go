package multioption

import (
	"gavel/judging"
)

// These tests register the protocols that runs name.
func init() {
	judging.Register(Protocol)
}
