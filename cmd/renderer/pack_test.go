// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// edited returns a house with a changed second clip and the segment cache of the earlier render.
func edited(t *testing.T, pack []byte) *house {
	h := newHouse(t)
	h.film.Clips[1].Motion.To = 1.1
	if pack != nil {
		h.files["/pack"] = pack
	}
	h.order.Render.Pack = &order.Pack{URL: h.url("/pack"), Keep: &order.Target{URL: h.url("/pack")}}
	return h
}

func rendered(t *testing.T, h *house) *outcome.Film {
	t.Helper()
	if code := h.run(h.command()); code != exitOK || len(h.outcomes) != 1 || h.outcomes[0].Film == nil {
		t.Fatalf("got exit code %d, outcomes %+v", code, h.outcomes)
	}
	return h.outcomes[0].Film
}

// TestPack_ReusesSegments renders a video, changes a clip, and renders again with the segment cache. Only that clip is
// encoded, and the video is the same as without a cache.
func TestPack_ReusesSegments(t *testing.T) {
	first := newHouse(t)
	first.order.Render.Pack = &order.Pack{URL: first.url("/pack"), Keep: &order.Target{URL: first.url("/pack")}}
	if r := rendered(t, first); r.Reused != 0 || r.Encoded != 21 {
		t.Errorf("reused %d of %d segments, encoded %d frames, want none and 21", r.Reused, r.Parts, r.Encoded)
	}
	pack := first.stored["/pack"]
	if len(pack) == 0 {
		t.Fatal("no segment cache was stored")
	}

	warm, cold := edited(t, pack), edited(t, nil)
	r := rendered(t, warm)
	if r.Reused != 2 || r.Parts != 3 || r.Encoded != 20 { // the still and the sound
		t.Errorf("reused %d of %d segments, encoded %d frames, want 2 of 3 and 20", r.Reused, r.Parts, r.Encoded)
	}
	if w := rendered(t, cold); w.SHA256 != r.SHA256 || !bytes.Equal(warm.stored["/out/film.mp4"], cold.stored["/out/film.mp4"]) {
		t.Error("the video differs from one without a cache")
	}
	if !bytes.Equal(warm.stored["/pack"], cold.stored["/pack"]) {
		t.Error("the stored cache depends on the previous one")
	}
}

// TestPack_IsOptional damages the segment cache in several ways. The render must succeed.
func TestPack_IsOptional(t *testing.T) {
	for name, spoil := range map[string]func(*house){
		"no cache":         func(*house) {},
		"an invalid cache": func(h *house) { h.files["/pack"] = []byte("<html>") },
		"a cache that cannot be stored": func(h *house) {
			h.onPut = func(n int, w http.ResponseWriter) bool {
				if n > 1 {
					w.WriteHeader(http.StatusForbidden)
				}
				return n > 1
			}
		},
		"an unrequested cache": func(h *house) { h.order.Render.Pack.Keep = nil },
	} {
		t.Run(name, func(t *testing.T) {
			h := edited(t, nil)
			spoil(h)
			if r := rendered(t, h); r.Reused != 0 {
				t.Errorf("reused %d segments", r.Reused)
			}
		})
	}
}
