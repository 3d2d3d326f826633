// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/publish"
)

const mediaVideo = catalog.MediaVideo

// pullTime is for how long a platform may fetch a file.
const pullTime = 24 * time.Hour

// draft is the post in the words of the port.
func (r *Reconciler) draft(ctx context.Context, p *v1alpha1.Post) (publish.Draft, error) {
	d := publish.Draft{
		Key: string(p.UID), Kind: p.Spec.Media.Kind, Mode: p.Spec.PostingMode, Title: p.Spec.Title, Caption: p.Spec.Caption, Tags: p.Spec.Tags,
		AutoAddMusic: p.Spec.AutoAddMusic,
	}
	m := p.Spec.Media
	if m.Kind == mediaVideo {
		d.Video = &publish.Media{
			ContentType: "video/mp4", Bytes: m.Bytes, Width: int(m.Width), Height: int(m.Height), Duration: time.Duration(m.DurationMillis) * time.Millisecond,
			Open: func(ctx context.Context, offset int64) (io.ReadCloser, error) {
				return r.Store.OpenAt(ctx, m.VideoKey, offset)
			},
			URL: func(ctx context.Context) (string, error) { return r.Store.SignedGet(ctx, m.VideoKey, pullTime) },
		}
		return d, nil
	}
	var err error
	if d.Photos, err = r.Photos(ctx, p); err != nil {
		return d, fmt.Errorf("making the pictures: %w", err)
	}
	return d, nil
}

// digest is the same for two attempts exactly when they send the same.
func digest(p *v1alpha1.Post) string {
	b, err := json.Marshal([]any{
		p.UID, p.Spec.Platform, p.Spec.Account, p.Spec.Media, p.Spec.Title, p.Spec.Caption, p.Spec.Tags, p.Spec.PostingMode, p.Spec.AutoAddMusic,
	})
	if err != nil {
		panic(err) // of strings and numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// aad binds a note to its post.
func aad(p *v1alpha1.Post) []byte { return []byte("post/" + p.Namespace + "/" + string(p.UID)) }

// note is what Prepare left last: remembered, or kept in the status.
func (r *Reconciler) note(p *v1alpha1.Post, m *memo) ([]byte, error) {
	if m.known {
		return m.note, nil
	}
	n := p.Status.Preparation
	if n == nil || len(n.Sealed) == 0 {
		return nil, nil
	}
	plain, err := r.Sealer.Open(n.Sealed, aad(p))
	if err != nil {
		return nil, fmt.Errorf("opening what was prepared: %w", err)
	}
	m.note, m.known, m.ready = plain, true, n.Ready
	if n.ExpiresAt != nil {
		m.expires = n.ExpiresAt.Time
	}
	return plain, nil
}
