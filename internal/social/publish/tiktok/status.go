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

// publicIDTimeout is how long after sending the public id of a post is awaited.
const publicIDTimeout = 24 * time.Hour

func (p *Platform) status(ctx context.Context, a publish.Account, id string) (*statusAnswer, error) {
	var s statusAnswer
	err := p.send(ctx, call{method: http.MethodPost, path: "/v2/post/publish/status/fetch/", token: a.AccessToken, body: publishID{id}}, &s)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// cannotTellIfUnknown returns publish.ErrCannotTell if TikTok does not know the publish id, or not as this account's.
// It returns other errors unchanged. TikTok does not document how long it keeps publish ids.
func cannotTellIfUnknown(err error) error {
	if e := (*publish.Error)(nil); errors.As(err, &e) && (e.Code == "invalid_publish_id" || e.Code == "token_not_authorized_for_specified_publish_id") {
		return publish.ErrCannotTell
	}
	return err
}

// view converts the status of a publish id to the state of the post.
func (p *Platform) view(ctx context.Context, a publish.Account, d publish.Draft, h handle, s *statusAnswer) (*publish.View, error) {
	now := p.clock.Now()
	v := &publish.View{}
	switch s.Status {
	case statusUpload, statusDownload:
		v.State, v.Wait = v1beta1.DeliveryProcessing, wait(now, h)
	case statusInbox:
		v.State, v.Settled = v1beta1.DeliveryInInbox, true
	case statusFailed:
		v.State, v.Failed, v.Settled = v1beta1.DeliveryProcessing, failure(s.FailReason), true
	case statusComplete:
		v.State = v1beta1.DeliveryPublished
		v.PostID = s.post()
		switch {
		case v.PostID != "":
			v.Settled = true
			p.link(ctx, a, d, h, v)
		case d.Mode == catalog.PostDirect && h.Privacy != "" && h.Privacy != publicToEveryone:
			v.State, v.Settled = v1beta1.DeliveryPrivate, true // the post never gets a public id
		case d.Mode == catalog.PostDraft || now.Sub(time.Unix(h.SentAt, 0)) > publicIDTimeout:
			v.Settled = true
		default:
			v.Wait = wait(now, h)
		}
	default:
		return nil, inconclusive(false, errors.New("a status that is not known"))
	}
	return v, nil
}

// firstWait is the time between sending a post and the first poll.
const firstWait = 5 * time.Second

// wait returns the time before the next poll: 5 to 30 seconds at first, then a minute, and ten minutes after an hour,
// because moderation may be slow. A clock that moved backwards counts as no time passed.
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
