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
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/social/posting"
)

// historyPrefix begins the names of the namespaces with settled units.
const historyPrefix = "history-"

// unitPlatforms are the platforms of the posts of a unit. Their accounts do not exist any more.
var unitPlatforms = []v1beta1.Platform{"tiktok", "youtube", "instagram", "linkedin"}

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
	at := metav1.NewTime(time.Now().AddDate(0, 0, -60).Truncate(time.Second))
	show := &v1beta1.Slideshow{
		ObjectMeta: unitMeta(namespace, fmt.Sprintf("slideshow-%d", id), v1beta1.FinalizerSlideshow, id, 0),
		Spec: v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, SlideCount: 7, AspectRatio: "9:16",
			Context: fmt.Sprintf("Number %d. Five habits of people who sleep well, for parents with little time.", id),
		},
	}
	if err := s.put(ctx, show, func() { show.Status = showStatus(namespace, id, at) }); err != nil {
		return err
	}
	render, err := renders.New(show, show.Name+"-r1", 1, s.kube.Scheme())
	if err != nil {
		return err
	}
	output := &v1beta1.RenderOutput{
		BlobKey: fmt.Sprintf("renders/%s/%d/film.mp4", namespace, id), Bytes: 4_000_000, SHA256: fmt.Sprintf("%064x", id),
		DurationMilliseconds: 24_500, Width: 1080, Height: 1920, Frames: 735,
	}
	err = s.put(ctx, render, func() {
		render.Status = v1beta1.RenderJobStatus{
			ObservedGeneration: 1, Revision: 1, Work: succeeded(at), Output: output, JobName: render.Name + "-1",
		}
	})
	if err != nil {
		return err
	}
	return s.createPublished(ctx, namespace, id, at, output)
}

// createPublished creates a batch of a short and its published posts.
func (s *stage) createPublished(
	ctx context.Context, namespace string, short int64, at metav1.Time, film *v1beta1.RenderOutput,
) error {
	first := short * int64(len(unitPlatforms))
	b := &v1beta1.PostBatch{
		ObjectMeta: unitMeta(namespace, posting.BatchName(first), v1beta1.FinalizerPostBatch, first, short),
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, ShortRef: v1beta1.ShortRef{ID: short}, ScheduledAt: &at,
			PostingMode: catalog.PostDirect,
		},
	}
	var targets []v1beta1.TargetStatus
	for i, p := range unitPlatforms {
		id, account := first+int64(i), string(p)+"-1"
		b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: account, PostID: id})
		targets = append(targets, v1beta1.TargetStatus{
			Platform: p, Account: account, Post: posting.PostName(b, p, account, id), PostID: id, State: v1beta1.PostSuccess,
		})
	}
	err := s.put(ctx, b, func() {
		b.Status = v1beta1.PostBatchStatus{
			ObservedGeneration: 1, ShortID: short, Overall: posting.Overall(len(targets), len(targets)), Targets: targets,
			Published: int32(len(targets)), Conditions: readyAt(at, v1beta1.ReasonPublished, "All 4 posts are published"),
		}
	})
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := s.createPost(ctx, b, t, at, film); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) createPost(
	ctx context.Context, b *v1beta1.PostBatch, t v1beta1.TargetStatus, at metav1.Time, film *v1beta1.RenderOutput,
) error {
	due, settled := metav1.NewMicroTime(at.Time), metav1.NewMicroTime(at.Add(2*time.Second))
	p := &v1beta1.Post{
		ObjectMeta: unitMeta(b.Namespace, t.Post, v1beta1.FinalizerPost, t.PostID, b.Spec.ShortRef.ID),
		Spec: v1beta1.PostSpec{
			BrandRef: b.Spec.BrandRef, Batch: b.Name, Account: t.Account, Platform: t.Platform, ShortID: b.Spec.ShortRef.ID,
			Revision: 1, Title: "Five habits", Caption: "Small changes, better nights. Save this for tonight.",
			PostingMode: catalog.PostDirect, ScheduledAt: due,
			Media: v1beta1.PostMedia{
				Kind: catalog.MediaVideo, VideoKey: film.BlobKey, Bytes: film.Bytes, DurationMillis: film.DurationMilliseconds,
				Width: film.Width, Height: film.Height,
			},
		},
	}
	p.OwnerReferences = []metav1.OwnerReference{posting.OwnerOf(b)}
	return s.put(ctx, p, func() {
		url := fmt.Sprintf("https://%s.example/%d", t.Platform, t.PostID)
		p.Status = v1beta1.PostStatus{
			ObservedGeneration: 1, State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished,
			PlatformPostID: fmt.Sprint(t.PostID), PostURL: url, PublishedAt: &at, FinishedAt: &at,
			Conditions: readyAt(at, v1beta1.ReasonReady, url),
			Attempts: []v1beta1.PostAttempt{{
				Number: 1, State: v1beta1.AttemptAccepted, StartedAt: due, SettledAt: &settled,
			}},
		}
	})
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

// put creates an object and writes its status, which set sets: a creation ignores the status.
func (s *stage) put(ctx context.Context, o client.Object, set func()) error {
	if err := s.kube.Create(ctx, o); err != nil {
		return err
	}
	set()
	return s.kube.Status().Update(ctx, o)
}

// unitMeta returns the metadata of an object; short is 0 for a short itself.
func unitMeta(namespace, name, finalizer string, id, short int64) metav1.ObjectMeta {
	labels := map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand}
	if short != 0 {
		labels[v1beta1.LabelShort] = strconv.FormatInt(short, 10)
	}
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, Finalizers: []string{finalizer}}
}

func succeeded(at metav1.Time) *v1beta1.Work {
	return &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &at, FinishedAt: &at}
}

func readyAt(at metav1.Time, r v1beta1.Reason, message string) []metav1.Condition {
	return []metav1.Condition{{
		Type: string(v1beta1.ConditionReady), Status: metav1.ConditionTrue, Reason: string(r), Message: message,
		ObservedGeneration: 1, LastTransitionTime: at,
	}}
}
