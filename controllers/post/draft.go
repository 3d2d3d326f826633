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

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/photoset"
	"github.com/reelops/reelops/internal/social/publish"
)

const mediaVideo = catalog.MediaVideo

// pullTime is the lifetime of the signed URL of a file that a platform fetches.
const pullTime = 24 * time.Hour

// draft returns the publish.Draft of a post with everything that is sent. Each process verifies the video once: when it
// prepares the post, or before the attempt if another process prepared it. Adapters read only the verified bytes. Files
// that a platform fetches by URL are stored under a key that no signed URL can write.
func (r *Reconciler) draft(ctx context.Context, p *v1beta1.Post, local *localState) (publish.Draft, error) {
	if media := p.Spec.Media; media.Kind == mediaVideo && media.SHA256 != "" && local.video == nil {
		var err error
		if local.video, err = r.Store.Verify(ctx, media.VideoKey, media.SHA256); err != nil {
			return publish.Draft{}, fmt.Errorf("verifying the video: %w", err)
		}
	}
	if p.Spec.Media.Kind != mediaVideo && local.photos == nil {
		photos, err := photoset.Make(ctx, r.Store, imagePrefix(p), p.Spec.Media.PhotoKeys, p.Spec.Platform)
		if err != nil {
			return publish.Draft{}, fmt.Errorf("rendering the photos: %w", err)
		}
		for i := range photos {
			if i < len(p.Spec.Media.AltTexts) {
				photos[i].AltText = p.Spec.Media.AltTexts[i]
			}
		}
		local.photos = photos
	}
	if cover := p.Spec.Media.Cover; cover != nil && cover.ImageKey != "" && local.cover == nil {
		rule, _ := catalog.RuleOf(string(p.Spec.Platform))
		image, err := photoset.Cover(ctx, r.Store, imagePrefix(p), cover.ImageKey, rule.Cover.MaxBytes)
		if err != nil {
			return publish.Draft{}, fmt.Errorf("rendering the cover: %w", err)
		}
		local.cover = image
	}
	return r.lookupDraft(p, local), nil
}

// imagePrefix returns the prefix of the images rendered for a post. It contains the digest, so a post that is moved to
// another revision gets other images.
func imagePrefix(p *v1beta1.Post) string {
	return photoset.Prefix(p.Namespace, string(v1beta1.Origin(p))) + digest(p)[:16] + "/"
}

// coverOf returns the cover of a draft; nil when the platform chooses one. An image that this process did not render is
// left out.
func coverOf(p *v1beta1.Post, local *localState) *publish.Cover {
	switch c := p.Spec.Media.Cover; {
	case c == nil:
	case c.Offset() != nil:
		at := time.Duration(*c.Offset()) * time.Millisecond
		return &publish.Cover{Offset: &at}
	case c.Photo != nil:
		i := int(*c.Photo)
		return &publish.Cover{Photo: &i}
	case local.cover != nil:
		return &publish.Cover{Image: local.cover}
	}
	return nil
}

// lookupDraft returns the publish.Draft used to look up a post. Images that this process did not render are empty.
func (r *Reconciler) lookupDraft(p *v1beta1.Post, local *localState) publish.Draft {
	draft := publish.Draft{
		Key: string(v1beta1.Origin(p)), Kind: p.Spec.Media.Kind, Mode: p.Spec.PostingMode, Title: p.Spec.Title, Caption: p.Spec.Caption, Tags: p.Spec.Tags,
		AutoAddMusic: p.Spec.AutoAddMusic, Cover: coverOf(p, local),
	}
	if s := p.Spec.Settings; s != nil {
		draft.Settings = *s.DeepCopy()
	}
	media := p.Spec.Media
	switch {
	case media.Kind == mediaVideo:
		draft.Video = &publish.Media{
			ContentType: "video/mp4", Bytes: media.Bytes, Width: int(media.Width), Height: int(media.Height),
			Duration: time.Duration(media.Milliseconds()) * time.Millisecond,
			Open: func(ctx context.Context, offset int64) (io.ReadCloser, error) {
				if local.video != nil {
					return local.video.OpenAt(ctx, offset)
				}
				return r.Store.OpenAt(ctx, media.VideoKey, offset)
			},
			URL: func(ctx context.Context) (string, error) { return r.Store.SignedGet(ctx, media.VideoKey, pullTime) },
		}
	case local.photos != nil:
		draft.Photos = local.photos
	default:
		draft.Photos = make([]publish.Media, len(media.PhotoKeys))
	}
	return draft
}

// digest returns a hash that is equal for two attempts exactly if they send the same content.
func digest(p *v1beta1.Post) string {
	sent := []any{
		v1beta1.Origin(p), p.Spec.Platform, p.Spec.Account, p.Spec.Media, p.Spec.Title, p.Spec.Caption, p.Spec.Tags, p.Spec.PostingMode, p.Spec.AutoAddMusic,
	}
	if p.Spec.Settings != nil { // posts without settings keep the digest of earlier versions
		sent = append(sent, p.Spec.Settings)
	}
	b, err := json.Marshal(sent)
	if err != nil {
		panic(err) // marshaling strings and numbers cannot fail
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// aad returns the additional authenticated data that binds a note to its post.
func aad(p *v1beta1.Post) []byte {
	return []byte("post/" + p.Namespace + "/" + string(v1beta1.Origin(p)))
}

// note returns the last result of Prepare, from the in-process state or the status.
func (r *Reconciler) note(p *v1beta1.Post, local *localState) ([]byte, error) {
	if local.known {
		return local.note, nil
	}
	n := p.Status.Preparation
	if n == nil || len(n.Sealed) == 0 {
		return nil, nil
	}
	plain, err := r.Sealer.Open(n.Sealed, aad(p))
	if err != nil {
		return nil, fmt.Errorf("opening the preparation: %w", err)
	}
	local.note, local.known, local.ready = plain, true, n.Ready
	if n.ExpiresAt != nil {
		local.expires = n.ExpiresAt.Time
	}
	return plain, nil
}
