// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// saveEvery is the number of bytes after which the progress of an upload is recorded. Smaller amounts are sent again
// after a crash: that costs less than a write on every upload.
const saveEvery = 32 << 20

// octets is the content type of a video and of its cover. stillImage marks a cover, which LinkedIn distinguishes from a
// video by its own header.
const (
	octets     = "application/octet-stream"
	stillImage = "STILLIMAGE"
)

// sending is the upload of a draft's files.
type sending struct {
	p    *Platform
	a    publish.Account
	d    publish.Draft
	n    *note
	save func([]byte) error
	// unsaved is the number of bytes sent since the note was recorded.
	unsaved int64
}

// send resumes the upload at the position recorded in the note.
func (s *sending) send(ctx context.Context, resumed bool) error {
	if s.d.Kind == catalog.MediaVideo {
		if err := s.video(ctx, resumed); err != nil {
			return err
		}
		s.n.Assets, s.n.Film = []string{s.n.Film.URN}, nil
	}
	for i := len(s.n.Assets); i < len(s.d.Photos) && s.d.Kind != catalog.MediaVideo; i++ {
		urn, err := s.image(ctx, &s.d.Photos[i])
		if err != nil {
			return err
		}
		s.n.Assets = append(s.n.Assets, urn)
		if err := s.sent(s.d.Photos[i].Bytes); err != nil {
			return err
		}
	}
	s.n.Since = s.p.c.Clock.Now().UTC()
	return nil
}

// sent records the progress after every saveEvery bytes.
func (s *sending) sent(bytes int64) error {
	if s.unsaved += bytes; s.unsaved < s.p.saveEvery {
		return nil
	}
	doc := s.n.bytes()
	if len(doc) > maxNote {
		return nil
	}
	s.unsaved = 0
	return s.save(doc)
}

// video sends a video in the parts that LinkedIn requests. Sending a part again is harmless.
func (s *sending) video(ctx context.Context, resumed bool) error {
	if s.n.Film == nil {
		f, err := s.begin(ctx)
		if err != nil {
			return err
		}
		s.n.Film, resumed = f, false
	}
	f := s.n.Film
	for len(f.Parts) > 0 {
		x := f.Parts[0]
		tag, err := s.put(ctx, x.URL, s.d.Video, octets, x.First, x.Last-x.First+1)
		if err != nil {
			return err
		}
		if tag == "" {
			return inconclusive(false)
		}
		f.Parts, f.Tags, resumed = f.Parts[1:], append(f.Tags, tag), false
		if err := s.sent(x.Last - x.First + 1); err != nil {
			return err
		}
	}
	if f.Cover != "" {
		if err := s.cover(ctx, f.Cover); err != nil {
			return err
		}
		if s.n.Film == nil { // from the start: LinkedIn waits for the cover of a video that was begun with one
			return s.video(ctx, false)
		}
		f.Cover, resumed = "", false
	}
	if resumed { // the call below may already have succeeded
		state, err := s.p.state(ctx, s.a, s.d.Kind, f.URN)
		if err != nil || state != waiting {
			return err
		}
	}
	end := map[string]any{"finalizeUploadRequest": map[string]any{"video": f.URN, "uploadToken": f.Token, "uploadedPartIds": f.Tags}}
	_, err := s.p.request(ctx, call{method: http.MethodPost, path: "/rest/videos?action=finalizeUpload", token: s.a.AccessToken, body: end}, nil)
	return err
}

// coverTries is how often a cover is sent before the post is published without it.
const coverTries = 3

// cover sends the cover. A cover never fails a post: temporary errors are retried up to coverTries times. After that
// the video is dropped from the note and sent again without a cover.
func (s *sending) cover(ctx context.Context, address string) error {
	s.n.CoverTries++
	if err := s.save(s.n.bytes()); err != nil { // bounds the retries if sending the cover crashes the process
		return err
	}
	_, err := s.put(ctx, address, s.d.Cover.Image, stillImage, 0, s.d.Cover.Image.Bytes)
	if err == nil || ctx.Err() != nil {
		return err
	}
	last := s.n.CoverTries >= coverTries
	e := asError(err)
	switch {
	case !last && e != nil && e.Kind == publish.Expired: // the upload address expired; a new upload has a new one
		s.n.Film = nil
		return nil
	case !last && (e == nil || e.Kind != publish.Rejected):
		return err
	}
	s.n.Film = nil
	s.n.NoCover, s.n.Warning = true, coverRefused
	return nil
}

// coverRefused warns that a post is published without its cover.
const coverRefused = "LinkedIn did not accept the cover and chose one itself."

// begin opens the upload of a video. A lost response leaves an invisible upload behind.
func (s *sending) begin(ctx context.Context) (*film, error) {
	var u struct {
		Value struct {
			Video        string `json:"video"`
			Token        string `json:"uploadToken"`
			Cover        string `json:"thumbnailUploadUrl"`
			Instructions []part `json:"uploadInstructions"`
		} `json:"value"`
	}
	covered := s.d.Cover != nil && s.d.Cover.Image != nil && !s.n.NoCover
	s.n.Covered = covered
	if s.d.Cover != nil && s.d.Cover.Image == nil {
		s.n.Warning = "LinkedIn accepts only an image as the cover of a video and chose the cover itself."
	}
	body := map[string]any{"initializeUploadRequest": map[string]any{
		"owner": s.a.ID, "fileSizeBytes": s.d.Video.Bytes, "uploadCaptions": false, "uploadThumbnail": covered,
	}}
	if _, err := s.p.request(ctx, call{method: http.MethodPost, path: "/rest/videos?action=initializeUpload", token: s.a.AccessToken, body: body}, &u); err != nil {
		return nil, notOpened(err)
	}
	if u.Value.Video == "" || !whole(u.Value.Instructions, s.d.Video.Bytes) {
		return nil, inconclusive(false)
	}
	f := &film{URN: u.Value.Video, Token: u.Value.Token, Parts: u.Value.Instructions}
	if covered {
		if f.Cover = u.Value.Cover; f.Cover == "" {
			s.n.Warning = "LinkedIn returned no upload URL for the cover and chose the cover itself."
		}
	}
	return f, nil
}

// whole reports whether the parts cover the file from the first to the last byte, in order.
func whole(parts []part, size int64) bool {
	var next int64
	for _, x := range parts {
		if x.First != next || x.Last < x.First {
			return false
		}
		next = x.Last + 1
	}
	return next == size
}

// image sends an image in one piece.
func (s *sending) image(ctx context.Context, m *publish.Media) (string, error) {
	var u struct {
		Value struct {
			Image string `json:"image"`
			URL   string `json:"uploadUrl"`
		} `json:"value"`
	}
	body := map[string]any{"initializeUploadRequest": map[string]any{"owner": s.a.ID}}
	if _, err := s.p.request(ctx, call{method: http.MethodPost, path: "/rest/images?action=initializeUpload", token: s.a.AccessToken, body: body}, &u); err != nil {
		return "", err
	}
	if u.Value.Image == "" {
		return "", inconclusive(false)
	}
	_, err := s.put(ctx, u.Value.URL, m, m.ContentType, 0, m.Bytes)
	return u.Value.Image, err
}

// put sends a range of a file and returns LinkedIn's tag for it.
func (s *sending) put(ctx context.Context, address string, m *publish.Media, contentType string, offset, length int64) (string, error) {
	if !s.p.allowsUpload(address) {
		return "", &publish.Error{Kind: publish.Misconfigured, Code: "upload_host", Safe: "LinkedIn returned an upload URL with a host that is not allowed."}
	}
	file, err := m.Open(ctx, offset)
	if err != nil {
		return "", fmt.Errorf("reading the file: %w", err)
	}
	// The transport may still read after the call returns, so it closes the file itself.
	body := struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, length), file}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, body)
	if err != nil {
		_ = file.Close()
		return "", inconclusive(false)
	}
	req.ContentLength = length
	if contentType == stillImage {
		contentType = octets
		req.Header.Set("Media-Type-Family", "STILLIMAGE")
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+s.a.AccessToken)
	answer, err := publish.Do(s.p.c.HTTP, req)
	if err != nil {
		return "", transportError(err, false)
	}
	if answer.Status < 200 || answer.Status > 299 {
		return "", notTaken(answer, s.p.c.Clock.Now())
	}
	return answer.Header.Get("ETag"), nil
}
