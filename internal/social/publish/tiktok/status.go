// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// idAwaited is how long after its sending a post's public id is waited for.
const idAwaited = 24 * time.Hour

func (p *Platform) status(ctx context.Context, a publish.Account, id string) (*statusAnswer, error) {
	var s statusAnswer
	err := p.ask(ctx, call{method: http.MethodPost, path: "/v2/post/publish/status/fetch/", token: a.AccessToken, body: publishID{id}}, &s)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// forgotten turns the answer to a publish id that TikTok does not know, or not as this account's, into publish.ErrCannotTell: how long
// it keeps them is not written anywhere.
func forgotten(err error) error {
	if e := (*publish.Error)(nil); errors.As(err, &e) && (e.Code == "invalid_publish_id" || e.Code == "token_not_authorized_for_specified_publish_id") {
		return publish.ErrCannotTell
	}
	return err
}

// view is what the status of a publish id means.
func (p *Platform) view(ctx context.Context, a publish.Account, d publish.Draft, h handle, s *statusAnswer) (*publish.View, error) {
	now := p.clock.Now()
	v := &publish.View{}
	switch s.Status {
	case statusUpload, statusDownload:
		v.State, v.Wait = v1beta1.DeliveryProcessing, wait(now, h)
	case statusInbox:
		v.State, v.Settled = v1beta1.DeliveryInInbox, true
	case statusFailed:
		v.State, v.Failed, v.Settled = v1beta1.DeliveryProcessing, gaveUp(s.FailReason), true
	case statusComplete:
		v.State = v1beta1.DeliveryPublished
		v.PostID = s.post()
		switch {
		case v.PostID != "":
			v.Settled = true
			p.link(ctx, a, d, h, v)
		case d.Mode == catalog.PostDirect && h.Privacy != "" && h.Privacy != publicToEveryone:
			v.State, v.Settled = v1beta1.DeliveryPrivate, true // it never gets a public id
		case d.Mode == catalog.PostDraft || now.Sub(time.Unix(h.SentAt, 0)) > idAwaited:
			v.Settled = true
		default:
			v.Wait = wait(now, h)
		}
	default:
		return nil, unclear(false, errors.New("a status that is not known"))
	}
	return v, nil
}

// firstWait is how long after its sending a post is looked at first.
const firstWait = 5 * time.Second

// wait before the next look: seconds at first, a minute then, and after an hour, when moderation takes its time, ten. A clock that
// went back counts as nothing passed.
func wait(now time.Time, h handle) time.Duration {
	passed := now.Sub(time.Unix(h.SentAt, 0))
	switch {
	case passed < firstWait:
		return firstWait
	case passed < 15*time.Second:
		return 10 * time.Second
	case passed < 35*time.Second:
		return 20 * time.Second
	case passed < 65*time.Second:
		return 30 * time.Second
	case passed < time.Hour:
		return time.Minute
	}
	return 10 * time.Minute
}
