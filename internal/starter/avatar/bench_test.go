// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"testing"
)

func BenchmarkPrepare(b *testing.B) {
	for b.Loop() {
		newFigure(context.Background(), cast[0].look(), Width, Height)
	}
}

func BenchmarkPicture(b *testing.B) {
	f := newFigure(context.Background(), cast[4].look(), Width, Height)
	e := f.easel()
	n := 0
	for b.Loop() {
		f.draw(e, n)
		n++
	}
}
