// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"testing"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// textOnly is a platform that finds posts only by their text. It returns the only post of the account as the post
// that was looked up.
type textOnly struct {
	*platform
	shows string
}

func (f textOnly) Find(_ context.Context, _ publish.Account, draft publish.Draft, _ []byte, _ time.Time) (*publish.Receipt, error) {
	all := 0
	for _, at := range f.landAt {
		all += len(at)
	}
	if all != 1 {
		return nil, publish.ErrCannotTell
	}
	return &publish.Receipt{
		Handle: "handle of " + draft.Key, Guess: true,
		View: &publish.View{State: v1beta1.DeliveryPublished, PostID: f.shows, URL: "https://social.example/" + f.shows, Settled: true},
	}, nil
}

// TestFind_DuplicateText publishes the same text twice on one account on purpose, and loses the response to the first
// call. The visible post may be the second one.
func TestFind_DuplicateText(t *testing.T) {
	for name, c := range map[string]struct {
		why string
		// taken reports whether the platform accepted the first post, and not the second.
		taken     bool
		duplicate func(*v1beta1.Post)
		want      v1beta1.PostState
	}{
		"alone":           {"the visible post is the first one", true, nil, v1beta1.PostSuccess},
		"is another post": {"the visible post is known as another post", false, func(*v1beta1.Post) {}, v1beta1.PostFailed},
		"another text":    {"a post with another text is no duplicate", true, func(p *v1beta1.Post) { p.Spec.Caption = "Six teas" }, v1beta1.PostSuccess},
		"unresolved": {"of two unresolved posts one was published, and it is unknown which", false, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostFailed, DeliveryState: v1beta1.DeliveryUnconfirmed, Attempts: []v1beta1.PostAttempt{
				{Number: 1, State: v1beta1.AttemptUnknown},
			}}
		}, v1beta1.PostFailed},
		"no id yet": {"the other post was accepted, and its id is not known yet", false, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostPending, DeliveryState: v1beta1.DeliveryProcessing, Attempts: []v1beta1.PostAttempt{
				{Number: 1, State: v1beta1.AttemptAccepted, Handle: "handle of uid-2"},
			}}
		}, v1beta1.PostFailed},
		"another id": {"the duplicate is known as another post", true, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{
				State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished, PlatformPostID: "8", PostURL: "https://social.example/8",
				Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, Handle: "handle of uid-2"}},
			}
		}, v1beta1.PostSuccess},
		"not sent": {"the duplicate was never sent", true, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostCancelled}
		}, v1beta1.PostSuccess},
		"of another account": {"posts of other accounts are ignored", true, func(p *v1beta1.Post) {
			p.Spec.Account = "noor"
			p.Status = v1beta1.PostStatus{State: v1beta1.PostFailed, Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptUnknown}}}
		}, v1beta1.PostSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			objects := atOnce()
			if c.duplicate != nil {
				duplicate := aPost("2", noon)
				c.duplicate(duplicate)
				if len(duplicate.Status.Attempts) > 0 {
					duplicate.Status.Attempts[0].StartedAt = ago(0)
				}
				objects = append(objects, duplicate)
			}
			w := newWorld(t, 0, none, objects...)
			w.r.Platforms = map[v1beta1.Platform]publish.Platform{catalog.TikTok: textOnly{w.platform, "7"}}
			w.platform.lost, w.platform.lostUntaken = map[int]bool{1: c.taken}, map[int]bool{1: !c.taken}
			if name == "no id yet" {
				w.platform.processing = 24 * time.Hour
			}
			if name == "unresolved" || name == "no id yet" {
				w.platform.land(publish.Draft{Key: "uid-2"}, 0)
			}
			if name == "another text" {
				w.platform.refuse = []error{nil, &publish.Error{Kind: publish.Rejected, Safe: "No"}}
			}
			w.until(3*time.Hour, w.ended)
			p := w.post("post-1")
			if p.Status.State != c.want {
				t.Fatalf("%s: got %+v", c.why, p.Status)
			}
			if c.want == v1beta1.PostFailed && (p.Status.Error.Details[detailReason] != reasonUnknown || p.Status.PlatformPostID != "") {
				t.Errorf("%s: got %+v", c.why, p.Status)
			}
			if w.landed("1") != map[bool]int{true: 1}[c.taken] {
				t.Errorf("%s: published %d times", c.why, w.landed("1"))
			}
		})
	}
}
