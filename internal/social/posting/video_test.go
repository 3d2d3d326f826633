// SPDX-License-Identifier: Apache-2.0

package posting_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

func TestContentOfVideo(t *testing.T) {
	film := &v1beta1.RenderOutput{BlobKey: "film.mp4", Bytes: 10, DurationMilliseconds: 9000, Width: 1080, Height: 1920}
	work := func(s v1beta1.WorkState) *v1beta1.Work { return &v1beta1.Work{State: s} }
	for _, c := range []struct {
		why     string
		video   v1beta1.Video
		film    bool
		settled bool
		message string
	}{
		{"not processed yet", v1beta1.Video{}, false, false, "The short has no video yet: it is being rendered."},
		{"a draft", v1beta1.Video{Spec: v1beta1.VideoSpec{Suspend: true}}, false, true, "The short has no video and no slides."},
		{"in progress", v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkProcessing)}}, false, false, "The short has no video yet: it is being rendered."},
		{"failed", v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkFailed)}}, false, true, "The short has no video and no slides."},
		{"deleted and in progress again", v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkSucceeded)}}, false, false, "The short has no video yet: it is being rendered."},
		{"ready", v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkSucceeded), Output: film}}, true, true, ""},
	} {
		got := posting.ContentOfVideo(7, &c.video)
		if got.ShortID != 7 || got.Postable() != c.film || got.Settled() != c.settled {
			t.Errorf("%s: got %+v", c.why, got)
		}
		problems := got.Problems()
		if c.message == "" {
			if len(problems) > 0 {
				t.Errorf("%s: got %+v", c.why, problems)
			}
			continue
		}
		if len(problems) != 1 || problems[0].Code != catalog.ShortNotPostable || problems[0].Message != c.message || !problems[0].Retryable {
			t.Errorf("%s: got %+v", c.why, problems)
		}
	}
}

func TestTextsOfVideo(t *testing.T) {
	v := &v1beta1.Video{Status: v1beta1.VideoStatus{
		Revision: 1, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded}, Output: &v1beta1.RenderOutput{BlobKey: "film.mp4"},
		Text: &v1beta1.VideoText{Title: "Written", Caption: "Also written.", Tags: []string{"a", "b"}},
	}}
	if c := posting.ContentOfVideo(7, v); c.Title != "Written" || c.Caption != "Also written." || len(c.Tags) != 2 || c.Revision != 1 {
		t.Errorf("got %+v", c)
	}
	v.Spec.Title, v.Spec.Tags = ptr.To("Said"), ptr.To("")
	if c := posting.ContentOfVideo(7, v); c.Title != "Said" || c.Caption != "Also written." || len(c.Tags) != 0 {
		t.Errorf("got %+v", c)
	}
}
