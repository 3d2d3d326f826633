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

// wordy is a platform that finds posts only by their text. It returns the only post of the account as the post that was
// looked up.
type wordy struct {
	*platform
	shows string
}

func (f wordy) Find(_ context.Context, _ publish.Account, d publish.Draft, _ []byte, _ time.Time) (*publish.Receipt, error) {
	all := 0
	for _, at := range f.landAt {
		all += len(at)
	}
	if all != 1 {
		return nil, publish.ErrCannotTell
	}
	return &publish.Receipt{
		Handle: "handle of " + d.Key, Guess: true,
		View: &publish.View{State: v1beta1.DeliveryPublished, PostID: f.shows, URL: "https://social.example/" + f.shows, Settled: true},
	}, nil
}

// TestTwin publishes the same text twice on one account on purpose, and loses the response to the first call. The
// visible post may be the second one.
func TestTwin(t *testing.T) {
	for name, c := range map[string]struct {
		why string
		// taken reports whether the platform accepted the first post, and not the second.
		taken     bool
		duplicate func(*v1beta1.Post)
		want      v1beta1.PostState
	}{
		"alone":       {"it is its own", true, nil, v1beta1.PostSuccess},
		"is another":  {"what another post has shown to be its own is not this one's", false, func(*v1beta1.Post) {}, v1beta1.PostFailed},
		"other words": {"what says something else is no twin", true, func(p *v1beta1.Post) { p.Spec.Caption = "Six teas" }, v1beta1.PostSuccess},
		"in doubt": {"of two that nobody knows of, one came out, and nobody knows which", false, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostFailed, DeliveryState: v1beta1.DeliveryUnconfirmed, Attempts: []v1beta1.PostAttempt{
				{Number: 1, State: v1beta1.AttemptUnknown},
			}}
		}, v1beta1.PostFailed},
		"no id yet": {"one that was taken, and whose id the platform has not told", false, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostPending, DeliveryState: v1beta1.DeliveryProcessing, Attempts: []v1beta1.PostAttempt{
				{Number: 1, State: v1beta1.AttemptAccepted, Handle: "handle of uid-2"},
			}}
		}, v1beta1.PostFailed},
		"another id": {"a twin that is known for another post", true, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{
				State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished, PlatformPostID: "8", PostURL: "https://social.example/8",
				Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, Handle: "handle of uid-2"}},
			}
		}, v1beta1.PostSuccess},
		"not sent": {"a twin that never went out", true, func(p *v1beta1.Post) {
			p.Status = v1beta1.PostStatus{State: v1beta1.PostCancelled}
		}, v1beta1.PostSuccess},
		"of another account": {"another account's posts are not this one's", true, func(p *v1beta1.Post) {
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
			w.r.Platforms = map[v1beta1.Platform]publish.Platform{catalog.TikTok: wordy{w.platform, "7"}}
			w.platform.lost, w.platform.lostUntaken = map[int]bool{1: c.taken}, map[int]bool{1: !c.taken}
			if name == "no id yet" {
				w.platform.processing = 24 * time.Hour
			}
			if name == "in doubt" || name == "no id yet" {
				w.platform.land(publish.Draft{Key: "uid-2"}, 0)
			}
			if name == "other words" {
				w.platform.refuse = []error{nil, &publish.Error{Kind: publish.Rejected, Safe: "No"}}
			}
			w.until(3*time.Hour, w.ended)
			p := w.post("post-1")
			if p.Status.State != c.want {
				t.Fatalf("%s: %+v", c.why, p.Status)
			}
			if c.want == v1beta1.PostFailed && (p.Status.Error.Details[detailReason] != reasonUnknown || p.Status.PlatformPostID != "") {
				t.Errorf("%s: %+v", c.why, p.Status)
			}
			if w.landed("1") != map[bool]int{true: 1}[c.taken] {
				t.Errorf("%s: landed %d times", c.why, w.landed("1"))
			}
		})
	}
}
