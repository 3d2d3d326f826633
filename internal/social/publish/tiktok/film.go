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

// uploadLife is how long an upload's address is good for.
const uploadLife = time.Hour

// imageCover warns about a cover that TikTok's API has no place for.
const imageCover = "TikTok takes a moment of the video as its cover and no picture: the first frame became the cover."

var filmTypes = []string{"video/mp4", "video/quicktime", "video/webm"}

func acceptableFilm(m *publish.Media, rule catalog.PlatformRule) error {
	switch {
	case m == nil || m.Bytes <= 0:
		return refuse("", "There is no film to publish.")
	case m.Bytes > rule.MaxVideoBytes:
		return refuse("", "TikTok takes films of up to 4 GB.")
	case m.Duration > time.Duration(rule.MaxVideoSeconds)*time.Second:
		return refuse("", "TikTok takes films of up to 10 minutes.")
	case !slices.Contains(filmTypes, m.ContentType):
		return refuse("", "TikTok takes MP4, MOV and WebM films.")
	}
	return nil
}

// prepareFilm opens the upload, or goes on with the one of the note, and sends parts until only the last is left.
func (p *Platform) prepareFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note, save func([]byte) error) (publish.Step, error) {
	var offset int64
	if n == nil {
		var err error
		if n, err = p.open(ctx, a, d); err != nil {
			return publish.Step{}, err
		}
		// An upload of one part sends nothing before the commit: the caller records the note that it returns.
		if n.Plan.Count > 1 {
			if err := save(n.bytes()); err != nil {
				return publish.Step{}, err
			}
		}
	} else {
		if !p.clock.Now().Before(n.ExpiresAt) {
			return publish.Step{}, useless(errors.New("the upload's hour is over"))
		}
		if n.Plan.Count > 1 {
			var err error
			if offset, err = p.resumeAt(ctx, a, n); err != nil {
				return publish.Step{}, err
			}
		}
	}
	step := publish.Step{Note: n.bytes(), ExpiresAt: n.ExpiresAt}
	asked := false
	for sent := 0; offset < n.Plan.last(); {
		if sent >= partsPerCall {
			return step, nil
		}
		end := n.Plan.end(offset)
		err := p.part(ctx, d, n, offset, end)
		if errors.Is(err, errRange) && !asked {
			asked = true
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

// open begins an upload. A lost answer leaves one behind that never gets a byte, and so never publishes.
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
			return nil, refuse("", "The film is longer than TikTok lets the account post: "+limit.String()+".")
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
	if err := p.ask(ctx, call{method: http.MethodPost, path: path, token: a.AccessToken, body: body}, &got); err != nil {
		return nil, err
	}
	if got.PublishID == "" || got.UploadURL == "" {
		return nil, unclear(false, errors.New("no publish id or no address to upload to"))
	}
	if !p.takesFilms(got.UploadURL) {
		return nil, &publish.Error{Kind: publish.Misconfigured, Safe: "TikTok named an address to upload to that is none of its own."}
	}
	n.PublishID, n.UploadURL = got.PublishID, got.UploadURL
	return n, nil
}

// resumeAt is where an upload goes on: its end, when nothing is missing.
func (p *Platform) resumeAt(ctx context.Context, a publish.Account, n *note) (int64, error) {
	s, err := p.status(ctx, a, n.PublishID)
	if err != nil {
		if errors.Is(forgotten(err), publish.ErrCannotTell) {
			err = useless(err)
		}
		return 0, err
	}
	switch {
	case s.Status == statusFailed:
		if _, known := failReasons[s.FailReason]; !known {
			return 0, useless(errors.New("the upload failed")) // nothing was judged yet
		}
		return 0, gaveUp(s.FailReason)
	case s.Status != statusUpload:
		return n.Plan.Total, nil
	case s.Uploaded == nil:
		return 0, nil
	}
	return min(n.Plan.reached(max(*s.Uploaded, 0)), n.Plan.Total), nil
}

// commitFilm sends the last part. Answers that say no are told apart by what the publish id says: an earlier sending may have been taken.
func (p *Platform) commitFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note) (*publish.Receipt, error) {
	if n.PublishID == "" {
		return nil, useless(nil)
	}
	now := p.clock.Now()
	if !now.Before(n.ExpiresAt) || !p.takesFilms(n.UploadURL) {
		return p.settled(ctx, a, d, n, now, useless(errors.New("nothing can be sent there any more")), false)
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
	return p.settled(ctx, a, d, n, now, err, true)
}

// settled turns a refusal into what the publish id says: a receipt when the film was taken after all, else the refusal. sent says that
// something was sent just now, so that without an answer nobody can know.
func (p *Platform) settled(ctx context.Context, a publish.Account, d publish.Draft, n *note, now time.Time, refusal error, sent bool) (*publish.Receipt, error) {
	r, err := p.findFilm(ctx, a, d, n, now)
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, publish.ErrNotFound):
		return nil, asError(refusal)
	case sent:
		return nil, unclear(true, errors.Join(refusal, err))
	case errors.Is(err, publish.ErrCannotTell):
		return nil, asError(refusal)
	}
	return nil, err
}

// findFilm asks by the publish id. A film whose bytes are not all there was provably not taken.
func (p *Platform) findFilm(ctx context.Context, a publish.Account, d publish.Draft, n *note, at time.Time) (*publish.Receipt, error) {
	if n.PublishID == "" {
		return nil, publish.ErrCannotTell
	}
	s, err := p.status(ctx, a, n.PublishID)
	if err != nil {
		return nil, forgotten(err)
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
