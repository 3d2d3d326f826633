// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"testing"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/conformance"
)

func BenchmarkWriteLong(b *testing.B) {
	r := textgen.Request{Context: conformance.Corpus()["long"]}
	for b.Loop() {
		if _, err := New().Write(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
