// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// maxCover is the largest thumbnail that YouTube accepts, in bytes.
	maxCover = 50 << 20
	// coverTries is the number of calls that set the cover before the post is published without it.
	coverTries = 3
)

// coverTypes are the content types of thumbnails.
var coverTypes = []string{"image/jpeg", "image/png"}

// cover sets the custom thumbnail of a processed video. Before processing, YouTube refuses the thumbnails of Shorts. A
// cover never fails a post: transient errors and rate limits are retried, and any other error, or the last attempt,
// leaves a warning in the note. Setting a thumbnail is idempotent.
func (p *Platform) cover(ctx context.Context, a publish.Account, d publish.Draft, n *note, save func([]byte) error) (publish.Step, error) {
	image := d.Cover.Image
	switch {
	case image == nil:
		n.CoverWarning = "YouTube accepts only an image as the cover of a video and chose the cover itself."
	case !slices.Contains(coverTypes, image.ContentType) || image.Bytes > maxCover:
		n.CoverWarning = "YouTube accepts JPEG and PNG covers of up to 50 MB and chose the cover itself."
	default:
		n.CoverTries++
		if err := save(n.bytes()); err != nil { // limits the attempts even if setting the cover crashes the process
			return publish.Step{}, err
		}
		err := p.setThumbnail(ctx, a, n.VideoID, image)
		if ctx.Err() != nil {
			return publish.Step{}, ctx.Err()
		}
		last := n.CoverTries >= coverTries
		var e *publish.Error
		switch kind := publish.KindOf(err); {
		case err == nil:
		case kind == publish.Unauthorized && !last:
			return publish.Step{}, err // the caller renews the token
		case !last && (kind == publish.Transient || kind == publish.RateLimited):
			return publish.Step{Note: n.bytes(), Wait: minWait << n.CoverTries}, nil
		case errors.As(err, &e):
			n.CoverWarning = "YouTube did not accept the cover and chose one itself. " + e.Safe
		default:
			n.CoverWarning = "YouTube did not accept the cover and chose one itself."
		}
	}
	n.CoverDone = true
	return publish.Step{Note: n.bytes(), Ready: true}, nil
}

// setThumbnail sends the image. Its errors are *publish.Error.
func (p *Platform) setThumbnail(ctx context.Context, a publish.Account, id string, image *publish.Media) error {
	unread := func(err error) error {
		return &publish.Error{Kind: publish.Transient, Code: "storage", Safe: "The cover could not be read from the store.", Err: err}
	}
	source, err := image.Open(ctx, 0)
	if err != nil {
		return unread(err)
	}
	defer func() { _ = source.Close() }()
	body, err := io.ReadAll(io.LimitReader(source, maxCover))
	if err != nil {
		return unread(err)
	}
	address := p.c.APIURL + "/upload/youtube/v3/thumbnails/set?" + url.Values{"videoId": {id}, "uploadType": {"media"}}.Encode()
	req, err := request(ctx, a, http.MethodPost, address, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", image.ContentType)
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return unreachable(err)
	}
	if ans.Status != http.StatusOK {
		return refused(ans, p.c.Clock.Now())
	}
	return nil
}
