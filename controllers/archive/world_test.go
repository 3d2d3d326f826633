// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// longAgo is when the objects of the tests were created and ended.
var longAgo = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

func metaOf(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID("uid-" + name), Labels: labels, Generation: 1,
		CreationTimestamp: metav1.NewTime(longAgo),
	}
}

func done() *v1beta1.Work {
	at := metav1.NewTime(longAgo)
	return &v1beta1.Work{State: v1beta1.WorkSucceeded, StartedAt: &at, FinishedAt: &at, Attempt: 1}
}

func ready() []metav1.Condition {
	return []metav1.Condition{{
		Type: string(v1beta1.ConditionReady), Status: metav1.ConditionTrue,
		Reason: string(v1beta1.ReasonReady), ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(longAgo),
	}}
}

// settledUnit returns a slideshow with a media item, a video and two posts, all of which have ended.
func settledUnit(namespace string, id int64) *unit {
	text := strconv.FormatInt(id, 10)
	at := metav1.NewTime(longAgo)
	s := &v1beta1.Slideshow{ObjectMeta: metaOf(namespace, "slideshow-"+text, map[string]string{v1beta1.LabelID: text})}
	s.Finalizers = []string{v1beta1.FinalizerSlideshow}
	s.Spec = v1beta1.SlideshowSpec{
		BrandRef: v1beta1.LocalRef{Name: "brand"}, Context: "Three facts about tea", Title: ptr.To("Tea " + text),
	}
	s.Status = v1beta1.SlideshowStatus{ObservedGeneration: 1, Conditions: ready(), WorkedOn: 1, Work: done(), Revision: 1}
	owner := []metav1.OwnerReference{{
		APIVersion: v1beta1.GroupVersion.String(), Kind: v1beta1.KindSlideshow, Name: s.Name, UID: s.UID,
		Controller: ptr.To(true),
	}}

	m := &v1beta1.MediaAsset{ObjectMeta: metaOf(namespace, "slide-"+text, map[string]string{v1beta1.LabelID: text})}
	m.OwnerReferences, m.Finalizers = owner, []string{v1beta1.FinalizerMediaAsset}
	m.Spec = v1beta1.MediaAssetSpec{
		MediaType: "pack_image", Source: v1beta1.MediaSource{URL: ptr.To("https://example.com/tea.jpg")},
	}
	m.Status = v1beta1.MediaAssetStatus{ObservedGeneration: 1, Conditions: ready(), Work: done()}

	r := &v1beta1.RenderJob{ObjectMeta: metaOf(namespace, "render-"+text, map[string]string{v1beta1.LabelShort: text})}
	r.OwnerReferences, r.Finalizers = slices.Clone(owner), []string{v1beta1.FinalizerRenderJob}
	r.Spec = v1beta1.RenderJobSpec{
		Source: v1beta1.RenderSource{Kind: v1beta1.KindSlideshow, Name: s.Name}, Revision: ptr.To(int64(1)),
	}
	r.Status = v1beta1.RenderJobStatus{
		ObservedGeneration: 1, Conditions: ready(), Work: done(),
		Output: &v1beta1.RenderOutput{BlobKey: "renders/" + namespace + "/" + text + "/film.mp4", Bytes: 1000},
	}

	b := &v1beta1.PostBatch{ObjectMeta: metaOf(namespace, "batch-"+text, map[string]string{
		v1beta1.LabelID: text, v1beta1.LabelShort: text,
	})}
	b.Finalizers = []string{v1beta1.FinalizerPostBatch}
	b.Spec = v1beta1.PostBatchSpec{
		BrandRef: v1beta1.LocalRef{Name: "brand"}, ShortRef: v1beta1.ShortRef{ID: id},
		ScheduledAt: ptr.To(metav1.NewTime(longAgo)),
	}
	b.Status = v1beta1.PostBatchStatus{ObservedGeneration: 1, Conditions: ready(), ShortID: id}

	u := &unit{
		id: id, short: s, media: []*v1beta1.MediaAsset{m}, renders: []*v1beta1.RenderJob{r},
		batches: []*v1beta1.PostBatch{b},
	}
	for i := range int64(2) {
		post := fmt.Sprint(10*id + i)
		p := &v1beta1.Post{ObjectMeta: metaOf(namespace, "post-"+post, map[string]string{
			v1beta1.LabelID: post, v1beta1.LabelShort: text,
		})}
		p.Finalizers = []string{v1beta1.FinalizerPost}
		p.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: v1beta1.GroupVersion.String(), Kind: "PostBatch", Name: b.Name, UID: b.UID, Controller: ptr.To(true),
		}}
		p.Spec = v1beta1.PostSpec{
			BrandRef: b.Spec.BrandRef, Account: "tiktok-1", Platform: "tiktok", Batch: b.Name, ShortID: id,
			ScheduledAt: metav1.NewMicroTime(longAgo), Title: "Tea", Caption: "Three facts", PostingMode: "direct",
			Media: v1beta1.PostMedia{Kind: "video", VideoKey: r.Status.Output.BlobKey},
		}
		p.Status = v1beta1.PostStatus{
			ObservedGeneration: 1, Conditions: ready(), State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished,
			PlatformPostID: "v" + post, PublishedAt: &at, FinishedAt: &at, Attempts: []v1beta1.PostAttempt{{
				Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NewMicroTime(longAgo),
			}},
		}
		b.Spec.Accounts = []v1beta1.PostTarget{{Name: "tiktok-1"}}
		b.Status.Targets = append(b.Status.Targets, v1beta1.TargetStatus{
			Account: "tiktok-1", Platform: "tiktok", Post: p.Name, State: v1beta1.PostSuccess,
		})
		u.posts = append(u.posts, p)
	}
	return u
}

func settledVideo(namespace string, id int64) *v1beta1.Video {
	text := strconv.FormatInt(id, 10)
	v := &v1beta1.Video{ObjectMeta: metaOf(namespace, "video-"+text, map[string]string{v1beta1.LabelID: text})}
	v.Spec.BrandRef.Name = "brand"
	v.Status = v1beta1.VideoStatus{
		ObservedGeneration: 1, Conditions: ready(), Work: done(), Output: &v1beta1.RenderOutput{},
	}
	return v
}
