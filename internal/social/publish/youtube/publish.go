// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// mutable are the fields of a video's status that an update erases when it omits them. publishAt is not among them,
// because it is only valid for private videos.
var mutable = []string{"license", "embeddable", "publicStatsViewable", "selfDeclaredMadeForKids", "containsSyntheticMedia"}

// Commit changes the visibility of the uploaded video to the chosen one. It reads the video first to preserve its other
// fields. A video that stays private, such as a draft, is only read.
func (p *Platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, raw []byte) (*publish.Receipt, error) {
	n, err := readNote(raw)
	if err != nil {
		return nil, err
	}
	if n.VideoID == "" {
		return nil, gone("note", "The video was not uploaded to YouTube yet.")
	}
	v, err := p.one(ctx, a, n.VideoID)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, gone("videoNotFound", known["videoNotFound"].safe)
	}
	if e := failed(v); e != nil {
		return nil, e
	}
	to, is := target(d), v.statusField("privacyStatus")
	if to != private && is != to && is != public { // keep a video that became public in the meantime
		var e error
		if v, e = p.show(ctx, a, v, to); e != nil {
			return nil, e
		}
	}
	return p.receipt(d, v, n, p.c.Clock.Now()), nil
}

// show sends the request that changes the visibility.
func (p *Platform) show(ctx context.Context, a publish.Account, v *video, to string) (*video, error) {
	status := map[string]json.RawMessage{"privacyStatus": json.RawMessage(strconv.Quote(to))}
	for _, f := range mutable {
		if x, ok := v.Status[f]; ok {
			status[f] = x
		}
	}
	body, err := json.Marshal(map[string]any{"id": v.ID, "status": status})
	if err != nil {
		return nil, err
	}
	req, err := request(ctx, a, http.MethodPut, p.c.APIURL+"/youtube/v3/videos?part=status", body)
	if err != nil {
		return nil, err
	}
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return nil, publishing(unreachable(err), 0)
	}
	if ans.Status != http.StatusOK {
		return nil, publishing(refused(ans, p.c.Clock.Now()), ans.Status)
	}
	var now video
	if err := json.Unmarshal(ans.Body, &now); err != nil || now.statusField("privacyStatus") == "" {
		return nil, publishing(unreadable(err), ans.Status)
	}
	if now.statusField("privacyStatus") != to {
		return nil, &publish.Error{Kind: publish.Rejected, Code: "keptPrivate", Safe: keptPrivate}
	}
	now.ID = v.ID
	return &now, nil
}

// keptPrivate is the user message for a video that YouTube keeps private.
const keptPrivate = "YouTube keeps the video private: it has not audited the installation's Google Cloud project, or the channel's settings " +
	"require it. Request the audit of the YouTube API Services, or make the video public in YouTube Studio."

// one returns a video with the parts that publishing needs; nil when the account cannot see it.
func (p *Platform) one(ctx context.Context, a publish.Account, id string) (*video, error) {
	list, err := p.videos(ctx, a, id, "snippet,status,processingDetails")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	list[0].ID = id
	return &list[0], nil
}

// receipt returns the receipt of a video with its final visibility.
func (p *Platform) receipt(d publish.Draft, v *video, n *note, at time.Time) *publish.Receipt {
	s := p.view(d, v, at)
	if n.CoverWarning != "" {
		s.Warnings = append(s.Warnings, n.CoverWarning)
	}
	return &publish.Receipt{Handle: v.ID, View: s}
}

// view returns the state of a video. A public video is settled, because YouTube processed it before.
func (p *Platform) view(d publish.Draft, v *video, at time.Time) *publish.View {
	s := &publish.View{State: v1beta1.DeliveryPublished, PostID: v.ID, URL: p.link(d, v.ID), PublishedAt: at, Settled: true}
	if v.statusField("privacyStatus") != private {
		s.Recheck = recheck(at, p.c.Clock.Now())
		return s
	}
	s.State, s.PublishedAt = v1beta1.DeliveryPrivate, time.Time{}
	if target(d) != private {
		s.Warnings = []string{keptPrivate}
	}
	return s
}

// Find returns publish.ErrNotFound if the video is still private and should not be, and the receipt otherwise.
// Publishing again is idempotent, so a request that is still in flight does no harm.
func (p *Platform) Find(ctx context.Context, a publish.Account, d publish.Draft, raw []byte, at time.Time) (*publish.Receipt, error) {
	n, err := readNote(raw)
	if err != nil {
		return nil, publish.ErrCannotTell
	}
	if n.VideoID == "" {
		return nil, publish.ErrNotFound
	}
	v, err := p.one(ctx, a, n.VideoID)
	switch {
	case err != nil:
		return nil, err
	case v == nil:
		// The video may have been public and deleted by a user since. Publishing it again would be unwanted.
		return nil, publish.ErrCannotTell
	case v.statusField("privacyStatus") == private && target(d) != private:
		return nil, publish.ErrNotFound
	}
	return p.receipt(d, v, n, at), nil
}

// Look returns the current state of the video.
func (p *Platform) Look(ctx context.Context, a publish.Account, d publish.Draft, handle string) (*publish.View, error) {
	v, err := p.one(ctx, a, handle)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, publish.ErrNotFound
	}
	s := p.view(d, v, v.Snippet.PublishedAt)
	if e := failed(v); e != nil {
		s.Failed, s.PublishedAt = e, time.Time{}
		if e.Kind == publish.Expired {
			return nil, publish.ErrNotFound
		}
	}
	return s, nil
}
