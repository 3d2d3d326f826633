// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/content/overlay"
)

func TestPainter_LimitsDrawings(t *testing.T) {
	busy := func(err error) bool {
		var p *problem.Problem
		return errors.As(err, &p) && p.Status == http.StatusServiceUnavailable && p.RetryAfter > 0
	}
	p := NewPainter(nil, &overlay.Engine{}, 1)
	p.wait = 0
	leave, err := p.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.enter(t.Context()); !busy(err) {
		t.Errorf("without a free slot: %v", err)
	}
	leave()
	if leave, err = p.enter(t.Context()); err != nil {
		t.Errorf("after a slot was released: %v", err)
	}
	p.wait = slotWait
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.enter(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller disconnected: %v", err)
	}
	leave()

	if _, err := NewPainter(nil, nil, 1).enter(t.Context()); !busy(err) {
		t.Errorf("without fonts: %v", err)
	}
	if n := cap(NewPainter(nil, &overlay.Engine{}, 0).slots); n != DefaultPreviews {
		t.Errorf("got %d slots by default", n)
	}
}
