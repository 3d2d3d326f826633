// SPDX-License-Identifier: Apache-2.0

package heic

import (
	"errors"
	"testing"

	"github.com/reelops/reelops/internal/testkit/hostile"
)

// FuzzDecode tries to escape from the sandbox: each result is an image or one of the documented errors.
func FuzzDecode(f *testing.F) {
	s := hostile.NewSeeds(f)
	f.Add(s.HEIC)
	for _, file := range s.Pictures(hostile.NewBait(f)) {
		if file.Type == "image/heic" && len(file.Data) < 4000 && file.Want != hostile.Refused {
			f.Add(file.Data)
		}
	}
	if _, err := machine(); err != nil { // compiling exceeds the time limit of one attempt
		f.Fatal(err)
	}
	large := errors.New("too large")
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := Decode(t.Context(), "", data, func(w, h int) error {
			if w*h > 1<<20 {
				return large
			}
			return nil
		})
		switch {
		case err == nil && img.Bounds().Empty():
			t.Error("got an empty image")
		case err == nil, errors.Is(err, ErrUndecodable), errors.Is(err, ErrSlow), errors.Is(err, large):
		default:
			t.Errorf("got an undocumented error: %v", err)
		}
	})
}
