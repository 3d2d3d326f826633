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

// mutable are the fields of a video's status that an update erases when it leaves them out. The time of a planned publication
// is not among them: it only goes with private videos.
var mutable = []string{"license", "embeddable", "publicStatsViewable", "selfDeclaredMadeForKids", "containsSyntheticMedia"}

// Commit gives the uploaded video the visibility that was chosen. It reads the video first, so that nothing else of it changes. A video
// that stays private, such as a draft, is only read.
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
	to, is := target(d), v.said("privacyStatus")
	if to != private && is != to && is != public { // a change to public meanwhile stays
		var e error
		if v, e = p.show(ctx, a, v, to); e != nil {
			return nil, e
		}
	}
	return p.receipt(d, v, n, p.c.Clock.Now()), nil
}

// show makes the call that publishes.
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
	if err := json.Unmarshal(ans.Body, &now); err != nil || now.said("privacyStatus") == "" {
		return nil, publishing(unreadable(err), ans.Status)
	}
	if now.said("privacyStatus") != to {
		return nil, &publish.Error{Kind: publish.Rejected, Code: "keptPrivate", Safe: keptPrivate}
	}
	now.ID = v.ID
	return &now, nil
}

// keptPrivate is what people are shown of a video that YouTube does not let become visible.
const keptPrivate = "YouTube keeps the video private: it has not audited the installation's Google Cloud project, or the channel's settings " +
	"demand it. Request the audit of the YouTube API Services, or make the video public in YouTube Studio."

// one reads a video as far as it matters here; nil when nobody can see it.
func (p *Platform) one(ctx context.Context, a publish.Account, id string) (*video, error) {
	list, err := p.videos(ctx, a, id, "snippet,status,processingDetails")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	list[0].ID = id
	return &list[0], nil
}

// receipt tells of a video that is where it was to come to.
func (p *Platform) receipt(d publish.Draft, v *video, n *note, at time.Time) *publish.Receipt {
	s := p.view(d, v, at)
	if n.CoverWarning != "" {
		s.Warnings = append(s.Warnings, n.CoverWarning)
	}
	return &publish.Receipt{Handle: v.ID, View: s}
}

// view tells where a video is. Public ones are there as soon as they are public: they were processed before.
func (p *Platform) view(d publish.Draft, v *video, at time.Time) *publish.View {
	s := &publish.View{State: v1beta1.DeliveryPublished, PostID: v.ID, URL: p.link(d, v.ID), PublishedAt: at, Settled: true}
	if v.said("privacyStatus") != private {
		s.Recheck = recheck(at, p.c.Clock.Now())
		return s
	}
	s.State, s.PublishedAt = v1beta1.DeliveryPrivate, time.Time{}
	if target(d) != private {
		s.Warnings = []string{keptPrivate}
	}
	return s
}

// Find looks whether the video became public. Since it can be made public twice without harm, one that is still private was not
// published: it does not matter whether the request is still on its way.
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
		// It may have been public, and removed by a person since: publishing it again would be against their will.
		return nil, publish.ErrCannotTell
	case v.said("privacyStatus") == private && target(d) != private:
		return nil, publish.ErrNotFound
	}
	return p.receipt(d, v, n, at), nil
}

// Look asks what became of the video.
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
