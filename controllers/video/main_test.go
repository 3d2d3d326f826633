// SPDX-License-Identifier: Apache-2.0

package video

import (
	"testing"

	"github.com/reelops/reelops/internal/testkit"
)

// shared is the cluster for all tests that need one.
var shared testkit.Shared

func TestMain(m *testing.M) { shared.Main(m) }
