// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"fmt"
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/filmwords"
	"github.com/reelops/reelops/internal/film/timeline"
)

// pictureInPicture returns a video whose avatar is shown over demos of the given lengths. All times are in
// milliseconds.
func pictureInPicture(avatar, shown int64, demos ...int64) *v1beta1.Video {
	return video(func(v *v1beta1.Video) {
		v.Status.Clips = []v1beta1.VideoClip{{
			Role: v1beta1.ClipAvatar, BlobKey: "media/library/a/file.mp4", DurationMilliseconds: shown, SourceMilliseconds: avatar, PictureInPicture: true,
		}}
		at := int64(0)
		for i, n := range demos {
			v.Status.Clips = append(v.Status.Clips, v1beta1.VideoClip{
				Role: v1beta1.ClipProductDemo, BlobKey: fmt.Sprintf("media/tenant/%d/file.mp4", i), StartMilliseconds: at, DurationMilliseconds: n, SourceMilliseconds: n, Fit: "auto",
			})
			at += n
		}
	})
}

func TestInset_ContinuesOverTheClips(t *testing.T) {
	for why, c := range map[string]struct {
		video *v1beta1.Video
		// want is the start, frames and shown frames of each clip's inset, and whether the inset loops.
		want []string
	}{
		"in one clip":          {pictureInPicture(12_000, 2000, 5000), []string{"0 of 360 for 60"}},
		"over two clips":       {pictureInPicture(12_000, 3000, 2000, 5000), []string{"0 of 360 for 60", "60 of 300 for 30"}},
		"not after it ends":    {pictureInPicture(12_000, 2000, 2000, 5000), []string{"0 of 360 for 60", ""}},
		"again in a long clip": {pictureInPicture(2000, 5000, 6000), []string{"0 of 60 for 150 loop"}},
		// The rest of the avatar's clip is shorter than the second demo: it restarts with that demo.
		"again with a clip":             {pictureInPicture(2000, 4000, 1500, 1500, 5000), []string{"0 of 60 for 45", "0 of 60 for 45", "0 of 60 for 30"}},
		"its rest, then from the start": {pictureInPicture(4000, 8000, 3000, 1000, 5000), []string{"0 of 120 for 90", "90 of 30 for 30", "0 of 120 for 120"}},
		"its last frame stays":          {pictureInPicture(2000, 2400, 5000), []string{"0 of 60 for 72"}},
		"not for a short time only":     {pictureInPicture(4000, 2400, 2000, 5000), []string{"0 of 120 for 60", ""}},
		"not if it is almost over":      {pictureInPicture(2000, 2500, 1800, 5000), []string{"0 of 60 for 54", ""}},
	} {
		f := videoFilm(c.video, nil)
		if err := f.Timeline.Validate(); err != nil {
			t.Errorf("%s: got %v", why, err)
		}
		var got []string
		for _, clip := range f.Timeline.Clips {
			line := ""
			if in := clip.Inset; in != nil {
				line = fmt.Sprintf("%d of %d for %d", in.Start, in.Frames, in.Shown)
				if in.Loop {
					line += " loop"
				}
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", why, diff)
		}
	}
}

func TestInset_IsFootageOfTheAvatar(t *testing.T) {
	v := pictureInPicture(4000, 4000, 5000)
	v.Status.Clips[0].Sound, v.Status.Speech = true, &v1beta1.Speech{Source: "clip"}
	f := videoFilm(v, nil)
	want := &timeline.Inset{
		Footage: timeline.Footage{Input: "clip-1", ContentType: "video/mp4", Frames: 120, Focus: &timeline.Point{X: 0.5, Y: 0.4}},
		X:       108, Y: 894, Width: 366, Height: 488, Radius: 40, Shown: 120,
	}
	if diff := cmp.Diff(want, f.Timeline.Clips[0].Inset); diff != "" {
		t.Error(diff)
	}
	voices := []timeline.Voice{{Input: "clip-1", ContentType: "video/mp4"}}
	if diff := cmp.Diff(voices, f.Timeline.Audio.Voices); diff != "" {
		t.Error(diff)
	}
	if f.Inputs["clip-1"] != "media/library/a/file.mp4" || f.Inputs["clip-2"] != "media/tenant/0/file.mp4" || len(f.Inputs) != 2 {
		t.Errorf("got inputs %v", f.Inputs)
	}
}

func TestInsetBox(t *testing.T) {
	words, button := image.Rect(250, 464, 830, 689), image.Rect(300, 1270, 780, 1382)
	for why, c := range map[string]struct {
		ratio string
		texts []image.Rectangle
		want  image.Rectangle
	}{
		"no texts":              {"9:16", nil, image.Rect(108, 894, 474, 1382)},
		"text above it":         {"9:16", []image.Rectangle{words}, image.Rect(108, 894, 474, 1382)},
		"a button":              {"9:16", []image.Rectangle{words, button}, image.Rect(108, 758, 474, 1246)},
		"a text on the left":    {"9:16", []image.Rectangle{image.Rect(108, 1000, 400, 1382)}, image.Rect(498, 894, 864, 1382)},
		"less room":             {"9:16", []image.Rectangle{image.Rect(108, 800, 864, 1382)}, image.Rect(108, 288, 474, 776)},
		"only a small box fits": {"9:16", []image.Rectangle{words, image.Rect(108, 1150, 864, 1382)}, image.Rect(108, 724, 410, 1126)},
		"no room":               {"9:16", []image.Rectangle{image.Rect(0, 0, 1080, 1920)}, image.Rect(108, 1066, 344, 1382)},
		"another ratio":         {"4:5", nil, image.Rect(66, 780, 432, 1268)},
	} {
		ratio, _ := catalog.AspectRatioByValue(c.ratio)
		got := insetBox(ratio, c.texts)
		if got != c.want {
			t.Errorf("%s: got %v", why, got)
		}
		if got.Min.X%2+got.Min.Y%2+got.Dx()%2+got.Dy()%2 != 0 {
			t.Errorf("%s: the box %v has odd sizes", why, got)
		}
	}
}

// TestInset_AvoidsTextsOfItsTime checks that texts which are shown only after the avatar ends do not move the avatar.
func TestInset_AvoidsTextsOfItsTime(t *testing.T) {
	words := &filmwords.Document{Version: filmwords.Version, Spots: []filmwords.Spot{
		{BlobKey: "button", X: 300, Y: 1270, Width: 480, Height: 112, FromMilliseconds: 2000, ToMilliseconds: 5000},
	}}
	if y := videoFilm(pictureInPicture(12_000, 2000, 5000), words).Timeline.Clips[0].Inset.Y; y != 894 {
		t.Errorf("a later button moves the avatar to %d", y)
	}
	if y := videoFilm(pictureInPicture(12_000, 2100, 5000), words).Timeline.Clips[0].Inset.Y; y != 758 {
		t.Errorf("a concurrent button leaves the avatar at %d", y)
	}
}
