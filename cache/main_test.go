package cache

import (
	"os"
	"testing"

	"gavel/internal/trials"
)

func TestMain(m *testing.M) {
	trials.InMemory()
	os.Exit(m.Run())
}
