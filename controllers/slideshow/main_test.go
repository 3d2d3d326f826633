// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"

	"github.com/reelops/reelops/internal/testkit"
)

// shared serves all tests that need a cluster.
var shared testkit.Shared

func TestMain(m *testing.M) { shared.Main(m) }
