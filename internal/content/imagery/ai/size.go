// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"fmt"
	"slices"
	"sync"

	"github.com/reelops/reelops/internal/catalog"
)

// sizes remembers which sizes the server refuses, so that one is asked for in vain once only.
type sizes struct {
	mu  sync.Mutex
	bad []string
}

// candidates are the sizes to ask for, best first: the very ratio, for models that take any multiple of 16; then the fixed
// portrait sizes of other models; then a square; then whatever the server makes by itself.
func candidates(r catalog.AspectRatio) []string {
	return []string{exact(r), "1024x1536", "1024x1792", "1024x1024", ""}
}

// exact is the smallest size of exactly the ratio whose sides are multiples of 16 and that covers the canvas.
func exact(r catalog.AspectRatio) string {
	a, b := r.Width, r.Height
	for b != 0 {
		a, b = b, a%b
	}
	w, h := r.Width/a*16, r.Height/a*16
	n := (r.Width + w - 1) / w
	return fmt.Sprintf("%dx%d", w*n, h*n)
}

// of is the best size that was not refused, and whether there is another after it.
func (s *sizes) of(r catalog.AspectRatio) (size string, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range candidates(r) {
		if !slices.Contains(s.bad, c) {
			return c, c != ""
		}
	}
	return "", false
}

func (s *sizes) refused(size string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.bad, size) {
		s.bad = append(s.bad, size)
	}
}
