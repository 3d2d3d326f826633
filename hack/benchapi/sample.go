// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

const (
	tenant = "bench"
	brand  = "bench"
	// firstID is the id of the first short.
	firstID = 1_000
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// idAt returns the id of a short that has a job.
func idAt(i, shorts int) int64 {
	n := i % shorts
	if n%50 == 7 {
		n-- // drafts have no job
	}
	return firstID + int64(n)
}

// renderEvery is the interval of shorts with a film: one of ten has one.
const renderEvery = 10

// sample returns the n-th short in its complete form: seven slides with two blocks of text. Of fifty shorts, one is a
// draft, two have failed and two are in progress.
func sample(n int) *v1beta1.Slideshow {
	id := firstID + int64(n)
	created := metav1.NewTime(epoch.Add(time.Duration(n) * 3 * time.Second))
	later := func(seconds int) *metav1.Time {
		t := metav1.NewTime(created.Add(time.Duration(seconds) * time.Second))
		return &t
	}
	s := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: "slideshow-" + strconv.FormatInt(id, 10), CreationTimestamp: created,
			UID: types.UID(fmt.Sprintf("%08d-0000-4000-8000-%012d", n, n)), ResourceVersion: strconv.Itoa(1_000_000 + n), Generation: 1,
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "apiserver", Operation: "Update", Time: &created}, {Manager: "manager", Operation: "Update", Time: later(4), Subresource: "status"},
			},
		},
		Spec: v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, SlideCount: 7, AspectRatio: "9:16",
			Context: fmt.Sprintf("Number %d. Five habits of people who sleep well, for parents with little time. No screens after nine, a cool room, the same hour every day.", n),
		},
	}
	s.Status.ObservedGeneration = 1
	switch n % 50 {
	case 7:
		s.Spec.Suspend = true
		return s
	case 13, 14:
		s.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1, StartedAt: later(1)}
		return s
	case 23, 24:
		s.Status.Work = &v1beta1.Work{
			State: v1beta1.WorkFailed, Attempt: 3, StartedAt: later(1), FinishedAt: later(9),
			Error: &v1beta1.WorkError{Code: "generation_failed", Message: "The text model did not answer.", Retryable: true},
		}
		return s
	}
	key := fmt.Sprintf("shorts/%s/%s/%x", tenant, s.UID, n)
	s.Status.Work = &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: later(1), FinishedAt: later(4)}
	s.Status.WorkedOn, s.Status.Revision, s.Status.VisualHash = 1, 1, fmt.Sprintf("%064x", n)
	s.Status.Design = &v1beta1.Design{AspectRatio: "9:16", Style: "bold_center", ImageSource: v1beta1.ImageSource{Type: "stock"}, ImageWorld: "night_sky"}
	s.Status.PreviewKey, s.Status.ThumbnailKey = key+"/preview.jpg", key+"/thumbnail.jpg"
	s.Status.Text = &v1beta1.Text{
		SourceHash: fmt.Sprintf("%064x", n+1), Language: "en", Title: fmt.Sprintf("Five habits of people who sleep well (%d)", n),
		Caption: fmt.Sprintf("Small changes, better nights. Save this for tonight. Part %d.", n), Tags: []string{"sleep", "habits", fmt.Sprint("part", n)},
	}
	for i := range 7 {
		heading := fmt.Sprintf("Habit %d of %d: the same hour every day", i, n)
		s.Status.Text.Slides = append(s.Status.Text.Slides, v1beta1.SlideText{Role: "point", Heading: heading, Body: strings.Repeat("Go to bed at ten. ", 4)})
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{
			ID: int64(i + 1), PictureKey: fmt.Sprintf("%s/%d.png", key, i), AltText: "A calm night sky over hills.", DurationMilliseconds: 3500,
			Background: v1beta1.SlideBackground{Source: "stock", ID: fmt.Sprintf("starter-night_sky-%02d", i), BlobKey: fmt.Sprintf("%s/back-%d.jpg", key, i)},
			TextOverlays: []v1beta1.TextOverlay{
				{Text: heading, FontFamily: "Inter", FontWeight: 800, FontSize: 84, Color: "#FFFFFF", StrokeColor: "#000000", StrokeWidth: ptr.To(6.0), Position: &v1beta1.Position{X: 50, Y: 40}, Align: "center", MaxWidth: 80, LineHeight: 1.1},
				{Text: strings.Repeat("Go to bed at ten. ", 4), FontFamily: "Inter", FontWeight: 500, FontSize: 48, Color: "#FFFFFF", Position: &v1beta1.Position{X: 50, Y: 60}, Align: "center", MaxWidth: 80, LineHeight: 1.2},
			},
		})
	}
	return s
}

// sampleRender returns the film of the n-th short, or nil.
func sampleRender(n int, show *v1beta1.Slideshow) *v1beta1.RenderJob {
	if n%renderEvery != 0 || show.Status.Revision == 0 {
		return nil
	}
	revision := int64(1)
	at := func(seconds int) *metav1.Time {
		t := metav1.NewTime(show.CreationTimestamp.Add(time.Duration(seconds) * time.Second))
		return &t
	}
	out := &v1beta1.RenderOutput{
		BlobKey: fmt.Sprintf("renders/%s/%s/film.mp4", tenant, show.UID), Bytes: 4_000_000, SHA256: fmt.Sprintf("%064x", n),
		DurationMilliseconds: 24_500, Width: 1080, Height: 1920, Frames: 735,
	}
	return &v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: show.Name + "-r1", UID: types.UID(fmt.Sprintf("%08d-0000-4000-9000-%012d", n, n)),
			ResourceVersion: strconv.Itoa(9_000_000 + n), CreationTimestamp: *at(20), Generation: 1,
			Labels: map[string]string{v1beta1.LabelShort: show.Labels[v1beta1.LabelID], v1beta1.LabelBrand: brand},
		},
		Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Kind: "Slideshow", Name: show.Name}, Revision: &revision, Format: "video"},
		Status: v1beta1.RenderJobStatus{
			ObservedGeneration: 1, Revision: 1, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: at(21), FinishedAt: at(40)},
			Output: out, Report: &v1beta1.RenderReport{Attempt: 1, Output: out},
		},
	}
}
