// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// uploadLife is how long an upload address is valid.
const uploadLife = time.Hour

// imageCover is the warning for an image cover, which TikTok's API does not support.
const imageCover = "TikTok accepts only a frame of the video as the cover, not an image: the first frame became the cover."

var filmTypes = []string{"video/mp4", "video/quicktime", "video/webm"}

func acceptableFilm(m *publish.Media, rule catalog.PlatformRule) error {
	switch {
	case m == nil || m.Bytes <= 0:
		return refuse("", "There is no video to publish.")
	case m.Bytes > rule.MaxVideoBytes:
		return refuse("", "TikTok accepts videos of up to 4 GB.")
	case m.Duration > time.Duration(rule.MaxVideoSeconds)*time.Second:
		return refuse("", "TikTok accepts videos of up to 10 minutes.")
	case !slices.Contains(filmTypes, m.ContentType):
		return refuse("", "TikTok accepts MP4, MOV and WebM videos.")
	}
	return nil
}

// prepareFilm opens the upload, or resumes the upload of the note, and sends parts until only the last is left.
func (p *Platform) prepareFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note, save func([]byte) error) (publish.Step, error) {
	var offset int64
	if n == nil {
		var err error
		if n, err = p.open(ctx, a, d); err != nil {
			return publish.Step{}, err
		}
		// An upload of one part sends nothing before the commit: the caller stores the returned note.
		if n.Plan.Count > 1 {
			if err := save(n.bytes()); err != nil {
				return publish.Step{}, err
			}
		}
	} else {
		if !p.clock.Now().Before(n.ExpiresAt) {
			return publish.Step{}, expired(errors.New("the upload's hour is over"))
		}
		if n.Plan.Count > 1 {
			var err error
			if offset, err = p.resumeAt(ctx, a, n); err != nil {
				return publish.Step{}, err
			}
		}
	}
	step := publish.Step{Note: n.bytes(), ExpiresAt: n.ExpiresAt}
	queried := false
	for sent := 0; offset < n.Plan.last(); {
		if sent >= partsPerCall {
			return step, nil
		}
		end := n.Plan.end(offset)
		err := p.part(ctx, d, n, offset, end)
		if errors.Is(err, errRange) && !queried {
			queried = true
			if offset, err = p.resumeAt(ctx, a, n); err == nil {
				continue
			}
		}
		if err != nil {
			return publish.Step{}, asError(err)
		}
		sent++
		offset = end
	}
	step.Ready = true
	return step, nil
}

// open starts an upload. If the response is lost, an upload remains that never receives a byte and is therefore never
// published.
func (p *Platform) open(ctx context.Context, a publish.Account, d publish.Draft) (*note, error) {
	n := &note{Kind: d.Kind, Mode: d.Mode, Settings: fingerprint(d), Plan: cut(d.Video.Bytes, p.whole), ExpiresAt: p.clock.Now().Add(uploadLife)}
	body := videoInit{SourceInfo: uploadSource{Source: "FILE_UPLOAD", VideoSize: n.Plan.Total, ChunkSize: n.Plan.Size, ChunkCount: n.Plan.Count}}
	path := "/v2/post/publish/inbox/video/init/"
	if d.Mode == catalog.PostDirect {
		path = "/v2/post/publish/video/init/"
		c, level, err := p.allowed(ctx, a, d)
		if err != nil {
			return nil, err
		}
		if limit := time.Duration(c.MaxSeconds) * time.Second; limit > 0 && d.Video.Duration > limit {
			return nil, refuse("", "The video is longer than TikTok allows the account: "+limit.String()+".")
		}
		n.Privacy, n.Username = level, c.Username
		s, discloses := settings(d), commercial(d)
		body.PostInfo = &videoInfo{
			Title: d.Caption, PrivacyLevel: level,
			DisableDuet: c.DuetDisabled || !ptr.Deref(s.AllowDuet, true), DisableComment: c.CommentDisabled || !ptr.Deref(s.AllowComment, true),
			DisableStitch: c.StitchDisabled || !ptr.Deref(s.AllowStitch, true),
			BrandContent:  discloses.BrandedContent, BrandOrganic: discloses.YourBrand, AIGenerated: ptr.Deref(s.AIGenerated, false),
		}
		if d.Cover != nil && d.Cover.Offset != nil {
			body.PostInfo.CoverMillis = ptr.To(d.Cover.Offset.Milliseconds())
		}
	}
	var got initAnswer
	if err := p.send(ctx, call{method: http.MethodPost, path: path, token: a.AccessToken, body: body}, &got); err != nil {
		return nil, err
	}
	if got.PublishID == "" || got.UploadURL == "" {
		return nil, inconclusive(false, errors.New("no publish id or no address to upload to"))
	}
	if !p.allowsUpload(got.UploadURL) {
		return nil, &publish.Error{Kind: publish.Misconfigured, Safe: "TikTok returned an upload URL whose host is not one of its own."}
	}
	n.PublishID, n.UploadURL = got.PublishID, got.UploadURL
	return n, nil
}

// resumeAt returns the offset at which an upload resumes; the total size if nothing is missing.
func (p *Platform) resumeAt(ctx context.Context, a publish.Account, n *note) (int64, error) {
	s, err := p.status(ctx, a, n.PublishID)
	if err != nil {
		if errors.Is(cannotTellIfUnknown(err), publish.ErrCannotTell) {
			err = expired(err)
		}
		return 0, err
	}
	switch {
	case s.Status == statusFailed:
		if _, known := failReasons[s.FailReason]; !known {
			return 0, expired(errors.New("the upload failed")) // the content was not checked yet
		}
		return 0, failure(s.FailReason)
	case s.Status != statusUpload:
		return n.Plan.Total, nil
	case s.Uploaded == nil:
		return 0, nil
	}
	return min(n.Plan.reached(max(*s.Uploaded, 0)), n.Plan.Total), nil
}

// commitFilm sends the last part. After a refusal, the status of the publish id decides the outcome: TikTok may have
// accepted an earlier attempt.
func (p *Platform) commitFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note) (*publish.Receipt, error) {
	if n.PublishID == "" {
		return nil, expired(nil)
	}
	now := p.clock.Now()
	if !now.Before(n.ExpiresAt) || !p.allowsUpload(n.UploadURL) {
		return p.resolveRefusal(ctx, a, d, n, now, expired(errors.New("nothing can be sent there any more")), false)
	}
	err := p.part(ctx, d, n, n.Plan.last(), n.Plan.Total)
	e := (*publish.Error)(nil)
	switch {
	case err == nil:
		receipt := &publish.Receipt{Handle: n.handle(now).String()}
		if d.Mode == catalog.PostDirect && d.Cover != nil && d.Cover.Image != nil {
			receipt.View = &publish.View{State: v1beta1.DeliveryProcessing, Wait: firstWait, Warnings: []string{imageCover}}
		}
		return receipt, nil
	case errors.As(err, &e) && (e.Kind == publish.Ambiguous || e.Kind == publish.Transient):
		return nil, err
	}
	return p.resolveRefusal(ctx, a, d, n, now, err, true)
}

// resolveRefusal returns the outcome that the publish id shows after a refusal: a receipt if TikTok accepted the video
// after all, otherwise the refusal. sent reports whether bytes were just sent. In that case the outcome is Ambiguous if
// the status cannot be read.
func (p *Platform) resolveRefusal(ctx context.Context, a publish.Account, d publish.Draft, n *note, now time.Time, refusal error, sent bool) (*publish.Receipt, error) {
	r, err := p.findFilm(ctx, a, d, n, now)
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, publish.ErrNotFound):
		return nil, asError(refusal)
	case sent:
		return nil, inconclusive(true, errors.Join(refusal, err))
	case errors.Is(err, publish.ErrCannotTell):
		return nil, asError(refusal)
	}
	return nil, err
}

// findFilm looks the video up by its publish id. A video with missing bytes was provably not accepted.
func (p *Platform) findFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note, at time.Time) (*publish.Receipt, error) {
	if n.PublishID == "" {
		return nil, publish.ErrCannotTell
	}
	s, err := p.status(ctx, a, n.PublishID)
	if err != nil {
		return nil, cannotTellIfUnknown(err)
	}
	if s.Status == statusUpload || s.Status == statusFailed {
		switch {
		case s.Uploaded != nil && !n.Plan.whole(*s.Uploaded):
			return nil, publish.ErrNotFound
		case s.Uploaded == nil && s.Status == statusUpload:
			return nil, publish.ErrCannotTell
		}
	}
	h := n.handle(at)
	v, err := p.view(ctx, a, d, h, s)
	if err != nil {
		return nil, err
	}
	return &publish.Receipt{Handle: h.String(), View: v}, nil
}

func (n *note) handle(at time.Time) handle {
	return handle{PublishID: n.PublishID, Privacy: n.Privacy, Username: n.Username, SentAt: at.Unix()}
}
