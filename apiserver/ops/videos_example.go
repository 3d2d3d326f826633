// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
)

// Examples of hook-and-demo videos, created by the code that creates the real responses.

// exampleVideo is a video of an avatar and one demo that is played twice. If rendered is false, the video is not
// rendered yet.
func exampleVideo(rendered bool) *view.Short {
	v := &v1beta1.Video{
		ObjectMeta: metav1.ObjectMeta{Name: "video-124", CreationTimestamp: metav1.NewTime(exampleTime.Time)},
		Spec: v1beta1.VideoSpec{
			HookText: ptr.To("I slept badly for ten years. Then I changed one thing."), LoopCount: 2, AspectRatio: "9:16",
			Avatar: v1beta1.ClipSource{LibraryRef: &v1beta1.LocalRef{Name: "starter-avatar-kitchen"}},
			Demos:  []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "media-42"}}}},
		},
	}
	if rendered {
		started, finished := metav1.NewTime(exampleTime.Add(time.Second)), metav1.NewTime(exampleTime.Add(40*time.Second))
		v.Status = v1beta1.VideoStatus{
			Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &started, FinishedAt: &finished}, Revision: 1,
			Text: &v1beta1.VideoText{
				Language: "en", Hook: "I slept badly for ten years. Then I changed one thing.", Title: "One thing", Caption: "What ten bad years taught us.",
				Tags: []string{"sleep"},
			},
			Clips: []v1beta1.VideoClip{
				{Role: v1beta1.ClipAvatar, MediaID: 41, BlobKey: "media/41/file.mp4", DurationMilliseconds: 4600},
				{Role: v1beta1.ClipProductDemo, MediaID: 42, BlobKey: "media/42/file.mp4", StartMilliseconds: 4600, DurationMilliseconds: 6000},
				{Role: v1beta1.ClipProductDemo, MediaID: 42, BlobKey: "media/42/file.mp4", StartMilliseconds: 10_600, DurationMilliseconds: 6000},
			},
			Output:    &v1beta1.RenderOutput{BlobKey: "videos/124/film.mp4", DurationMilliseconds: 16_600, Width: 1080, Height: 1920},
			PosterKey: "videos/124/poster.jpg", ThumbnailKey: "videos/124/thumbnail.jpg", CaptionsKey: "videos/124/captions.vtt",
		}
	}
	return &view.Short{ID: 124, Video: v, Brand: exampleBrand.Brand, BrandID: 7, AvatarID: 41, DemoIDs: []int64{42}, Sign: exampleSign}
}

var (
	exampleVideoJob  = *jobOf(exampleVideo(false))
	exampleVideoMade = *jobOf(exampleVideo(true))
	exampleFilm      = func() view.ShortDetail {
		d, err := exampleVideo(true).Detail(exampleTime.Time)
		if err != nil {
			panic(err) // nothing is signed
		}
		return *d
	}()
)

func jobOf(s *view.Short) *view.Job {
	j, err := s.Job(exampleTime.Time)
	if err != nil {
		panic(err) // nothing is signed
	}
	return j
}
