// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

// creatorPlatform describes creators and accepts comments with one more scope.
type creatorPlatform struct {
	*socialscript.Platform
	creator publish.Creator
	reads   int
	err     error
}

func (d *creatorPlatform) Creator(context.Context, publish.Account) (*publish.Creator, error) {
	d.reads++
	return &d.creator, d.err
}

func (d *creatorPlatform) Comment(context.Context, publish.Account, string, string) (string, error) {
	return "", nil
}

func (d *creatorPlatform) FindComment(context.Context, publish.Account, string, string) (string, error) {
	return "", publish.ErrNotFound
}

func (d *creatorPlatform) LackingForComments([]string) []string { return []string{"comments"} }

func TestCreator_IsReadOnceAnHourAndWrittenWhenItChanges(t *testing.T) {
	w := newWorld(t, "tiktok")
	d := &creatorPlatform{Platform: w.platform, creator: publish.Creator{
		Nickname: "Maya", AvatarURL: "https://p16.tiktok.example/a.jpg", PrivacyLevels: []string{"SELF_ONLY"}, DuetDisabled: true, MaxVideoDuration: 5 * time.Minute,
	}}
	w.r.Platforms = map[v1beta1.Platform]publish.Platform{"tiktok": d}
	w.connect()
	w.good()
	want := &v1beta1.Creator{
		Nickname: "Maya", AvatarURL: "https://p16.tiktok.example/a.jpg", PrivacyLevels: []string{"SELF_ONLY"}, DuetDisabled: true, MaxVideoSeconds: 300,
		ObservedAt: metav1.NewTime(noon),
	}
	if diff := cmp.Diff(want, w.account.Status.Creator); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"comments"}, w.account.Status.MissingCommentScopes); diff != "" || !w.account.Status.TokenStatus.Usable() {
		t.Errorf("%s: a scope for comments blocks publishing: %s", diff, w.account.Status.TokenStatus)
	}
	writes := len(w.recorder.Writes)
	for range 3 { // within the hour nothing is read, and unchanged values are not written
		w.clock.SetTime(w.clock.Now().Add(15 * time.Minute))
		w.good()
	}
	if d.reads != 1 {
		t.Errorf("got %d reads within an hour, want one", d.reads)
	}
	w.clock.SetTime(noon.Add(time.Hour))
	w.good()
	if d.reads != 2 || len(w.recorder.Writes) != writes {
		t.Errorf("got %d reads, wrote %v", d.reads, w.recorder.Writes[writes:])
	}
	d.creator.PrivacyLevels = []string{"PUBLIC_TO_EVERYONE", "SELF_ONLY"}
	w.clock.SetTime(noon.Add(2 * time.Hour))
	w.good()
	if got := w.account.Status.Creator; len(got.PrivacyLevels) != 2 || !got.ObservedAt.Time.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("the change is not written: %+v", got)
	}
	d.err = &publish.Error{Kind: publish.Transient, Safe: "The platform is down"}
	w.clock.SetTime(noon.Add(3 * time.Hour))
	w.good()
	if w.account.Status.Creator == nil {
		t.Error("a failed read clears the known values")
	}
}
