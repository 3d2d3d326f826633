// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"testing"

	"github.com/reelops/reelops/internal/testkit"
)

var shared testkit.Shared

func TestMain(m *testing.M) { shared.Main(m) }
