// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"fmt"
	"slices"
	"sync"

	"github.com/reelops/reelops/internal/catalog"
)

// sizes remembers the sizes that the server rejects, so that each is requested in vain only once.
type sizes struct {
	mu  sync.Mutex
	bad []string
}

// candidates returns the sizes to request, the best first: the exact ratio, for models that take any multiple of 16;
// then the fixed portrait sizes of other models; then a square; then the server's default.
func candidates(r catalog.AspectRatio) []string {
	return []string{exact(r), "1024x1536", "1024x1792", "1024x1024", ""}
}

// exact returns the smallest size of exactly the ratio that covers the canvas and whose sides are multiples of 16.
func exact(r catalog.AspectRatio) string {
	a, b := r.Width, r.Height
	for b != 0 {
		a, b = b, a%b
	}
	w, h := r.Width/a*16, r.Height/a*16
	n := (r.Width + w - 1) / w
	return fmt.Sprintf("%dx%d", w*n, h*n)
}

// of returns the best size that was not rejected, and whether there is another after it.
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
