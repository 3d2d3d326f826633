// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/subtitle"
)

// clip returns a ready MediaAsset of the given length in milliseconds.
func clip(name string, ms int64, codec string) *v1beta1.MediaAsset {
	m := &v1beta1.MediaAsset{}
	m.Namespace, m.Name, m.UID = "tenant", name, "uid-of-asset"
	m.Labels = map[string]string{v1beta1.LabelID: "41"}
	m.Spec.MediaType = catalog.MediaProductDemo
	m.Status = v1beta1.MediaAssetStatus{
		Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}, BlobKey: "media/tenant/" + name + "/file.mp4",
		Probe: &v1beta1.MediaProbe{Kind: "video", ContentType: "video/mp4", Bytes: 9, Width: 1080, Height: 1920, DurationMilliseconds: ms, FrameRate: 30, VideoCodec: "h264", AudioCodec: codec},
	}
	return m
}

func avatarClip(ms int64, codec string) source {
	return source{role: v1beta1.ClipAvatar, asset: clip("anna", ms, codec)}
}

func demoClip(name string, ms int64) source {
	return source{role: v1beta1.ClipProductDemo, asset: clip(name, ms, "aac")}
}

func TestAvatarTime(t *testing.T) {
	for why, c := range map[string]struct {
		source       string
		speech, clip int64
		want         int64
	}{
		"a longer clip is cut after the speech":      {speechPackage, 3000, 12000, 3500},
		"a shorter clip is extended to the speech":   {speechService, 3000, 2000, 3500},
		"the start of a repetition is omitted":       {speechPackage, 5600, 2000, 6000},
		"speech during a repetition is not":          {speechPackage, 5950, 2000, 6450},
		"a clip with sound is shown in full":         {speechClip, 3000, 12000, 12000},
		"a clip without speech is shown in full":     {speechNone, 3000, 12000, 12000},
		"shown as long as its text takes to read":    {speechNone, 3000, 1000, 3000},
		"at least the minimum of a video":            {speechClip, 100, 100, 500},
		"at most the maximum of a video":             {speechClip, 300_000, 300_000, 180_000},
		"a clip of exactly the length of the speech": {speechPackage, 1500, 2000, 2000},
	} {
		s := &v1beta1.Speech{Source: c.source, DurationMilliseconds: c.speech}
		if got := avatarTime(s, time.Duration(c.clip)*time.Millisecond); got.Milliseconds() != c.want {
			t.Errorf("%s: got %s", why, got)
		}
	}
}

func TestCompose(t *testing.T) {
	lines := func(clips []v1beta1.VideoClip) []string {
		var out []string
		for _, c := range clips {
			out = append(out, fmt.Sprintf("%s %d+%d of %d %v", c.Asset, c.StartMilliseconds, c.DurationMilliseconds, c.SourceMilliseconds, c.Sound))
		}
		return out
	}
	spoken := &v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 3000}
	for why, c := range map[string]struct {
		loops  int32
		speech *v1beta1.Speech
		clips  []source
		want   []string
	}{
		"the avatar, then the demos in order": {
			1, spoken,
			[]source{avatarClip(12000, "aac"), demoClip("a", 2000), demoClip("b", 1500)},
			[]string{"anna 0+3500 of 12000 false", "a 3500+2000 of 2000 true", "b 5500+1500 of 1500 true"},
		},
		"repeats the sequence, not each demo": {
			2, spoken,
			[]source{avatarClip(12000, ""), demoClip("a", 2000), demoClip("b", 1500)},
			[]string{"anna 0+3500 of 12000 false", "a 3500+2000 of 2000 true", "b 5500+1500 of 1500 true", "a 7000+2000 of 2000 true", "b 9000+1500 of 1500 true"},
		},
		"only the avatar": {5, spoken, []source{avatarClip(12000, "")}, []string{"anna 0+3500 of 12000 false"}},
		"a clip with sound is audible": {
			1, &v1beta1.Speech{Source: speechClip, DurationMilliseconds: 4000},
			[]source{avatarClip(4000, "aac")},
			[]string{"anna 0+4000 of 4000 true"},
		},
		"long demos are cut, short ones extended": {
			1, spoken,
			[]source{avatarClip(12000, ""), demoClip("long", 90_000), demoClip("short", 100)},
			[]string{"anna 0+3500 of 12000 false", "long 3500+60000 of 90000 true", "short 63500+500 of 100 true"},
		},
		"clips beyond the maximum length are omitted": {
			2, spoken,
			[]source{avatarClip(12000, ""), demoClip("a", 60_000), demoClip("b", 60_000)},
			[]string{"anna 0+3500 of 12000 false", "a 3500+60000 of 60000 true", "b 63500+60000 of 60000 true", "a 123500+56500 of 60000 true"},
		},
	} {
		v := &v1beta1.Video{}
		v.Spec.LoopCount = c.loops
		if diff := cmp.Diff(c.want, lines(compose(v, c.clips, c.speech))); diff != "" {
			t.Errorf("%s:\n%s", why, diff)
		}
	}
	got := compose(&v1beta1.Video{}, []source{avatarClip(12000, "")}, spoken)[0]
	want := v1beta1.VideoClip{Role: "avatar", Asset: "anna", MediaID: 41, BlobKey: "media/tenant/anna/file.mp4", DurationMilliseconds: 3500, SourceMilliseconds: 12000}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// cut returns the demo with a start and an end in milliseconds; 0 means no end.
func (s source) cut(start, end int64) source {
	s.demo.StartMilliseconds = start
	if end > 0 {
		s.demo.EndMilliseconds = &end
	}
	return s
}

func TestCompose_ShowsPartsOfDemos(t *testing.T) {
	type part struct{ start, length, shown int64 }
	for why, c := range map[string]struct {
		demo source
		want part
	}{
		"the whole clip":                            {demoClip("a", 9000), part{0, 9000, 9000}},
		"from a start":                              {demoClip("a", 9000).cut(2000, 0), part{2000, 7000, 7000}},
		"to an end":                                 {demoClip("a", 9000).cut(0, 4000), part{0, 4000, 4000}},
		"from a start to an end":                    {demoClip("a", 9000).cut(2000, 4000), part{2000, 2000, 2000}},
		"to an end after the clip's end":            {demoClip("a", 9000).cut(2000, 60_000), part{2000, 7000, 7000}},
		"at most a minute after the start":          {demoClip("a", 200_000).cut(2000, 0), part{2000, 198_000, 60_000}},
		"a short clip up to the maximum of a video": {demoClip("a", 100).cut(0, 5000), part{0, 100, 500}},
	} {
		got := compose(&v1beta1.Video{}, []source{avatarClip(2000, ""), c.demo}, &v1beta1.Speech{Source: speechNone})[1]
		if p := (part{got.SourceStartMilliseconds, got.SourceMilliseconds, got.DurationMilliseconds}); p != c.want {
			t.Errorf("%s: got %+v", why, p)
		}
	}
}

func TestCompose_FitsDemosAutomatically(t *testing.T) {
	contained := demoClip("b", 1000)
	contained.demo.Fit = "contain"
	var got []string
	for _, c := range compose(&v1beta1.Video{}, []source{avatarClip(2000, ""), demoClip("a", 1000), contained}, &v1beta1.Speech{Source: speechNone}) {
		got = append(got, c.Fit)
	}
	if diff := cmp.Diff([]string{"", "auto", "contain"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompose_PictureInPicture(t *testing.T) {
	for why, c := range map[string]struct {
		loops  int32
		speech v1beta1.Speech
		clips  []source
		want   []string
	}{
		"the demos are longer": {
			1,
			v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 3000},
			[]source{avatarClip(12000, "aac"), demoClip("a", 2000), demoClip("b", 5000)},
			[]string{"anna 0+3500 inset", "a 0+2000", "b 2000+5000"},
		},
		"each repetition": {
			2,
			v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 3000},
			[]source{avatarClip(12000, ""), demoClip("a", 2000)},
			[]string{"anna 0+3500 inset", "a 0+2000", "a 2000+2000"},
		},
		"demos are repeated": {
			1,
			v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 9000},
			[]source{avatarClip(12000, ""), demoClip("a", 2000), demoClip("b", 3000)},
			[]string{"anna 0+9500 inset", "a 0+2000", "b 2000+3000", "a 5000+2000", "b 7000+2500"},
		},
		"a very short clip is omitted": {
			1,
			v1beta1.Speech{Source: speechPackage, DurationMilliseconds: 3000},
			[]source{avatarClip(12000, ""), demoClip("a", 3100)},
			[]string{"anna 0+3500 inset", "a 0+3500"},
		},
		"the sound of an avatar is audible": {
			1,
			v1beta1.Speech{Source: speechClip, DurationMilliseconds: 3000},
			[]source{avatarClip(4000, "aac"), demoClip("a", 6000)},
			[]string{"anna 0+4000 inset sound", "a 0+6000"},
		},
		"the longest video": {
			1,
			v1beta1.Speech{Source: speechClip, DurationMilliseconds: 300_000},
			[]source{avatarClip(300_000, ""), demoClip("a", 70_000)},
			[]string{"anna 0+180000 inset", "a 0+60000", "a 60000+60000", "a 120000+60000"},
		},
	} {
		v := &v1beta1.Video{}
		v.Spec.LoopCount, v.Spec.AvatarLayout = c.loops, v1beta1.AvatarPictureInPicture
		v.Spec.Demos = make([]v1beta1.DemoClip, len(c.clips)-1)
		var got []string
		for _, clip := range compose(v, c.clips, &c.speech) {
			line := fmt.Sprintf("%s %d+%d", clip.Asset, clip.StartMilliseconds, clip.DurationMilliseconds)
			if clip.PictureInPicture {
				line += " inset"
			}
			if clip.Role == v1beta1.ClipAvatar && clip.Sound {
				line += " sound"
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", why, diff)
		}
	}
}

// TestCompose_PictureInPictureBoundsClips checks that a long speech over short demos stays within the maximum number of
// clips.
func TestCompose_PictureInPictureBoundsClips(t *testing.T) {
	v := &v1beta1.Video{}
	v.Spec.AvatarLayout = v1beta1.AvatarPictureInPicture
	clips := compose(v, []source{avatarClip(180_000, ""), demoClip("a", 500)}, &v1beta1.Speech{Source: speechNone})
	last := clips[len(clips)-1]
	if end := last.StartMilliseconds + last.DurationMilliseconds; len(clips) != maxClips || end != 180_000 {
		t.Errorf("got %d clips, the last one ends at %d", len(clips), end)
	}
}

func TestLabelSpots(t *testing.T) {
	v := &v1beta1.Video{}
	v.Namespace, v.UID, v.Spec.LoopCount = "tenant", "u", 2
	v.Spec.Demos = []v1beta1.DemoClip{{Text: "Import", CallToAction: "Try it"}, {Text: " \n "}, {CallToAction: "Buy"}}
	clips := compose(v, []source{avatarClip(1000, ""), demoClip("a", 6000), demoClip("b", 1000), demoClip("c", 3000)}, &v1beta1.Speech{Source: speechNone})
	labels := labelsOf(v)
	pictures := make([]subtitle.Picture, len(labels))
	for i := range pictures {
		pictures[i].PNG = []byte("png")
	}
	lines := func(list []spot) []string {
		var out []string
		for _, s := range list {
			out = append(out, fmt.Sprintf("%s %d-%d", strings.TrimPrefix(s.BlobKey, Prefix(v)+"words/"), s.FromMilliseconds, s.ToMilliseconds))
		}
		return out
	}
	want := []string{
		"demo-1-text.png 1000-7000", "demo-1-button.png 4000-7000", "demo-3-button.png 8000-11000",
		"demo-1-text.png 11000-17000", "demo-1-button.png 14000-17000", "demo-3-button.png 18000-21000",
	}
	if diff := cmp.Diff(want, lines(labelSpots(v, labels, pictures, clips))); diff != "" {
		t.Error(diff)
	}
	pictures[0].PNG = nil // no font has any of its letters
	if got := lines(labelSpots(v, labels, pictures, clips)); len(got) != 4 || strings.Contains(got[0], "text") {
		t.Errorf("a label without an image is in the video: %v", got)
	}
}

// TestCompose_MaximumClips checks that the largest possible spec fits into a status and a video.
func TestCompose_MaximumClips(t *testing.T) {
	v := &v1beta1.Video{}
	v.Spec.LoopCount = catalog.MaxLoops
	clips := []source{avatarClip(500, "")}
	for i := range 2 * catalog.MaxProductDemos {
		clips = append(clips, demoClip(fmt.Sprint(i), 500))
	}
	if n := len(compose(v, clips, &v1beta1.Speech{Source: speechNone})); n != 51 {
		t.Errorf("got %d clips", n)
	}
}

func TestPace(t *testing.T) {
	words := pace([]string{"I", "drink", "internationalised", "tea"})
	last := int64(0)
	for _, w := range words {
		if w.StartMilliseconds != last || w.EndMilliseconds <= w.StartMilliseconds {
			t.Errorf("got %+v after %d", w, last)
		}
		last = w.EndMilliseconds
	}
	if words[2].EndMilliseconds-words[2].StartMilliseconds <= words[0].EndMilliseconds-words[0].StartMilliseconds {
		t.Error("a longer word is not shown longer")
	}
}

func TestSpots_FirstAndLastFrame(t *testing.T) {
	v := &v1beta1.Video{}
	v.Namespace, v.UID = "tenant", "u"
	for why, c := range map[string]struct {
		source string
		states []subtitle.State
		avatar int64
		want   [][2]int64
	}{
		"from the first frame until the end of the avatar": {speechPackage, []subtitle.State{{From: 100, To: 900}, {From: 900, To: 3100}}, 3500, [][2]int64{{0, 900}, {900, 3500}}},
		"without the first frame":                          {speechClip, []subtitle.State{{From: 2000, To: 2900}}, 12000, [][2]int64{{2000, 2900}}},
		"texts to read stay until the end":                 {speechNone, []subtitle.State{{From: 0, To: 2900}}, 12000, [][2]int64{{0, 12000}}},
		"words after the avatar are not shown":             {speechClip, []subtitle.State{{From: 0, To: 4000}, {From: 4000, To: 5000}}, 3000, [][2]int64{{0, 3000}}},
	} {
		v.Status.Speech = &v1beta1.Speech{Source: c.source}
		var got [][2]int64
		for _, s := range spots(v, c.states, c.avatar) {
			got = append(got, [2]int64{s.FromMilliseconds, s.ToMilliseconds})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", why, diff)
		}
	}
}
