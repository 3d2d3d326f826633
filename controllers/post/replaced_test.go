// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

// TestPublish_ReplacedVideo checks that a video other than the rendered one is never sent, although it has the same key
// and length.
func TestPublish_ReplacedVideo(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes videos")
	}
	for _, name := range catalog.Platforms() {
		t.Run(name, func(t *testing.T) {
			g := newFixture(t, name)
			other := bytes.Clone(g.film)
			other[len(other)-1]++
			if err := g.store.Put(t.Context(), "shorts/tea.mp4", "video/mp4", bytes.NewReader(other)); err != nil {
				t.Fatal(err)
			}
			p := g.play(t, 0, none, nil, false).post("post-1")
			if landed := g.core.Landed(name); len(landed) > 0 {
				t.Fatalf("a replaced video was published: %+v", landed)
			}
			if e := p.Status.Error; p.Status.State != v1beta1.PostFailed || len(p.Status.Attempts) > 0 || e == nil || e.Code != string(catalog.ShortNotPostable) {
				t.Errorf("got post %+v, error %+v", p.Status, e)
			}
			if err := g.store.Put(t.Context(), "shorts/tea.mp4", "video/mp4", bytes.NewReader(g.film)); err != nil {
				t.Fatal(err)
			}
			g.judge(t, g.play(t, 0, none, nil, false), false, false)
		})
	}
}

// TestPlatformError_ReplacedWhileRead checks that a video that is replaced while an adapter reads it fails the post,
// regardless of how the adapter wraps the error.
func TestPlatformError_ReplacedWhileRead(t *testing.T) {
	read := fmt.Errorf("reading a.mp4: %w", blob.ErrDigest)
	for name, err := range map[string]error{
		"unwrapped":             read,
		"wrapped by an adapter": &publish.Error{Kind: publish.Transient, Safe: "The platform could not be reached", Err: errors.Join(read)},
	} {
		if e := platformError(err); e.Kind != publish.Rejected || e.CatalogCode != string(catalog.ShortNotPostable) {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}
