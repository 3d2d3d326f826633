// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/hack/settled"
)

// historyPrefix begins the names of the namespaces with settled units.
const historyPrefix = "history-"

// createHistory creates the i-th account with settled units, which are not archived yet.
func (s *stage) createHistory(ctx context.Context, namespace string, i, n int) error {
	labels := map[string]string{v1beta1.LabelID: strconv.Itoa(2 + i)}
	in := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
	}
	account := &v1beta1.Account{ObjectMeta: in(v1beta1.AccountName)}
	account.Spec.Email, account.Spec.Plan.ArchiveAfterDays = "history@example.com", ptr.To(int32(0))
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, account, &v1beta1.Brand{ObjectMeta: in(brand)},
	} {
		if err := s.kube.Create(ctx, o); err != nil {
			return err
		}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(16)
	for j := range n {
		work.Go(func() error { return s.createUnit(ctx, namespace, int64((1+i)*1_000_000+j)) })
	}
	return work.Wait()
}

// createUnit creates a slideshow that was rendered and published on four platforms 60 days ago.
func (s *stage) createUnit(ctx context.Context, namespace string, id int64) error {
	at := time.Now().AddDate(0, 0, -60)
	text := strconv.FormatInt(id, 10)
	return settled.Create(ctx, s.kube, &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "slideshow-" + text, Finalizers: []string{v1beta1.FinalizerSlideshow},
			Labels: map[string]string{v1beta1.LabelID: text, v1beta1.LabelBrand: brand},
		},
		Spec: v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, SlideCount: 7, AspectRatio: "9:16",
			Context: fmt.Sprintf("Number %d. Five habits of people who sleep well, for parents with little time.", id),
		},
		Status: showStatus(namespace, id, metav1.NewTime(at.Truncate(time.Second))),
	}, at)
}

// showStatus returns the status of a slideshow with seven slides of two texts.
func showStatus(namespace string, id int64, at metav1.Time) v1beta1.SlideshowStatus {
	key, body := fmt.Sprintf("shorts/%s/%d", namespace, id), strings.Repeat("Go to bed at ten. ", 4)
	out := v1beta1.SlideshowStatus{
		ObservedGeneration: 1, WorkedOn: 1, Revision: 1, Work: succeeded(at), VisualHash: fmt.Sprintf("%064x", id),
		Charge: &v1beta1.Charge{PeriodStart: at, Charges: 1},
		Design: &v1beta1.Design{
			AspectRatio: "9:16", Style: "bold_center", ImageSource: v1beta1.ImageSource{Type: "stock"}, ImageWorld: "night_sky",
		},
		PreviewKey: key + "/preview.jpg", ThumbnailKey: key + "/thumbnail.jpg",
		Text: &v1beta1.Text{
			SourceHash: fmt.Sprintf("%064x", id+1), Language: "en", Tags: []string{"sleep", "habits"},
			Title:   fmt.Sprintf("Five habits of people who sleep well (%d)", id),
			Caption: "Small changes, better nights. Save this for tonight.",
		},
	}
	for i := range 7 {
		heading := fmt.Sprintf("Habit %d of %d: the same hour every day", i, id)
		overlay := v1beta1.TextOverlay{
			Text: heading, FontFamily: "Inter", FontWeight: 800, FontSize: 84, Color: "#FFFFFF", StrokeColor: "#000000",
			StrokeWidth: ptr.To(6.0), Position: &v1beta1.Position{X: 50, Y: 40}, Align: "center", MaxWidth: 80, LineHeight: 1.1,
		}
		second := overlay
		second.Text, second.FontWeight, second.FontSize, second.Position = body, 500, 48, &v1beta1.Position{X: 50, Y: 60}
		out.Text.Slides = append(out.Text.Slides, v1beta1.SlideText{Role: "point", Heading: heading, Body: body})
		out.Slides = append(out.Slides, v1beta1.Slide{
			ID: int64(i + 1), PictureKey: fmt.Sprintf("%s/%d.png", key, i), AltText: "A calm night sky over hills.",
			DurationMilliseconds: 3500, TextOverlays: []v1beta1.TextOverlay{overlay, second},
			Background: v1beta1.SlideBackground{
				Source: "stock", ID: fmt.Sprintf("night_sky-%02d", i), BlobKey: fmt.Sprintf("%s/back-%d.jpg", key, i),
			},
		})
	}
	return out
}

func succeeded(at metav1.Time) *v1beta1.Work {
	return &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &at, FinishedAt: &at}
}
