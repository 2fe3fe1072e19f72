package outbox

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the run when a goroutine outlives the tests (OUT-10).
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
