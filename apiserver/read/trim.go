// SPDX-License-Identifier: Apache-2.0

package read

import (
	"maps"
	"slices"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/deck"
)

// annotationPartial marks a trimmed object in the cache. It is never written to the cluster: Client refuses to write
// objects with it.
const annotationPartial = "reelops.dev/partial"

// partial holds the annotations of all trimmed objects, outdated those of slideshows whose last edit has no layout yet.
// The maps are shared, because there is one use per short.
var (
	partial  = map[string]string{annotationPartial: "true", deck.AnnotationOutdated: "false"}
	outdated = map[string]string{annotationPartial: "true", deck.AnnotationOutdated: "true"}
)

// Partial reports whether an object is a trimmed one from the cache.
func Partial(o client.Object) bool {
	_, ok := o.GetAnnotations()[annotationPartial]
	return ok
}

// Trim shrinks objects before they are stored in the cache. It fits cache.Options.DefaultTransform.
//
// Of the managed fields it keeps only the time of the last write to the spec. Slideshow, Video, RenderJob, MediaAsset
// and Post objects keep what lists and jobs show; of their slides only the number and the texts remain, the texts where
// index.KeepTexts stores them. Such objects are marked as partial. To get the whole object, read it from the cluster.
func Trim(in any) (any, error) {
	o, ok := in.(client.Object)
	if !ok {
		return in, nil
	}
	o.SetManagedFields(lastWrite(o.GetManagedFields()))
	// The texts of a partial object are already where KeepTexts stores them.
	annotations, whole := partial, !Partial(o)
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		if deck.Outdated(o) { // depends on the context, which KeepTexts replaces
			annotations = outdated
		}
		if whole {
			index.KeepTexts(o)
		}
		trimShow(o)
	case *v1beta1.Video:
		if whole {
			index.KeepTexts(o)
		}
		trimVideo(o)
	case *v1beta1.RenderJob:
		o.Status.Conditions, o.Status.Report, o.Status.TimelineKey, o.Status.JobName = nil, nil, "", ""
	case *v1beta1.MediaAsset:
		trimMedia(o)
	case *v1beta1.Post:
		trimPost(o)
	default:
		return in, nil
	}
	if origin := o.GetAnnotations()[v1beta1.AnnotationOrigin]; origin != "" {
		annotations = maps.Clone(annotations)
		annotations[v1beta1.AnnotationOrigin] = origin
	}
	o.SetAnnotations(annotations)
	o.SetFinalizers(nil)
	o.SetLabels(ours(o.GetLabels()))
	o.SetNamespace(shared(o.GetNamespace()))
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return o, nil
}

// ours returns the labels by which records are found.
func ours(labels map[string]string) map[string]string {
	var out map[string]string
	for _, name := range []string{v1beta1.LabelID, v1beta1.LabelShort, v1beta1.LabelBrand} {
		if v, ok := labels[name]; ok {
			if out == nil {
				out = make(map[string]string, 2)
			}
			out[name] = v
		}
	}
	if brand, ok := out[v1beta1.LabelBrand]; ok {
		out[v1beta1.LabelBrand] = shared(brand)
	}
	return out
}

// shared returns a canonical copy of a text, so that equal texts share memory. Use it for values with few variants.
func shared(text string) string { return unique.Make(text).Value() }

// lastWrite returns the newest entry that is not about a subresource, without its fields, which are as large as the
// object.
func lastWrite(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var newest *metav1.Time
	for i := range entries {
		if t := entries[i].Time; t != nil && entries[i].Subresource == "" && (newest == nil || newest.Before(t)) {
			newest = t
		}
	}
	if newest == nil {
		return nil
	}
	return []metav1.ManagedFieldsEntry{{Time: newest}}
}

func trimShow(s *v1beta1.Slideshow) {
	for _, text := range []*string{
		&s.Spec.BrandRef.Name, &s.Spec.AspectRatio, &s.Spec.DesignStyle, &s.Spec.ImageWorld, &s.Spec.Language, &s.Spec.Film.Motion, &s.Spec.Film.Transition,
	} {
		*text = shared(*text)
	}
	if d := s.Status.Design; d != nil {
		d.AspectRatio, d.Style, d.ImageWorld = shared(d.AspectRatio), shared(d.Style), shared(d.ImageWorld)
		d.ImageSource.Type = v1beta1.ImageSourceType(shared(string(d.ImageSource.Type)))
	}
	if w := s.Status.Work; w != nil {
		w.State = v1beta1.WorkState(shared(string(w.State)))
	}
	s.Spec.Slides = blank(blankSpecs, len(s.Spec.Slides))
	st := &s.Status
	st.Slides = blank(blankSlides, len(st.Slides))
	st.Normalizations, st.Conditions, st.VisualHash = nil, awaitsModel(st.Conditions), ""
	st.Job, st.Output = nil, nil // derived from the cached renders, which may be newer
	if t := st.Text; t != nil {
		st.Text = &v1beta1.Text{
			Title: t.Title, Caption: t.Caption, Tags: slices.Clone(t.Tags), Slides: blank(blankTexts, len(t.Slides)), Shortfall: t.Shortfall,
		}
	}
}

// awaitsModel returns the condition that jobs show. Few shorts wait for a text model.
func awaitsModel(all []metav1.Condition) []metav1.Condition {
	c := deck.AwaitsModel(all)
	if c == nil {
		return nil
	}
	return []metav1.Condition{{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: shared(c.Message)}}
}

// trimVideo keeps the fields of a video that lists and jobs show.
func trimVideo(v *v1beta1.Video) {
	s := &v.Spec
	v.Spec = v1beta1.VideoSpec{
		BrandRef: v1beta1.LocalRef{Name: shared(s.BrandRef.Name)}, AspectRatio: shared(s.AspectRatio), HookText: s.HookText, Title: s.Title, Caption: s.Caption, Tags: s.TagText(),
		Suspend: s.Suspend,
	}
	st := &v.Status
	kept := v1beta1.VideoStatus{
		Work: st.Work, Revision: st.Revision, Render: st.Render, Output: st.Output, PosterKey: st.PosterKey, ThumbnailKey: st.ThumbnailKey, CaptionsKey: st.CaptionsKey,
		Conditions: awaitsModel(st.Conditions),
	}
	if kept.Work != nil {
		kept.Work.State = v1beta1.WorkState(shared(string(kept.Work.State)))
	}
	if st.Text != nil {
		kept.Text = &v1beta1.VideoText{Title: st.Text.Title, Caption: st.Text.Caption, Tags: st.Text.Tags}
	}
	if st.Speech != nil { // its presence indicates the progress of the work
		kept.Speech = &v1beta1.Speech{Source: shared(st.Speech.Source)}
	}
	v.Status = kept
}

// trimPost keeps the fields of a post that lists show. The state of the preparation on the platform is not needed here.
func trimPost(p *v1beta1.Post) {
	p.OwnerReferences = nil
	media := v1beta1.PostMedia{Kind: shared(p.Spec.Media.Kind)}
	if c := p.Spec.Media.Cover; c != nil && c.Offset() != nil {
		media.Cover = &v1beta1.PostMediaCover{OffsetMilliseconds: c.Offset()}
	}
	p.Spec.Media, p.Spec.Tags, p.Spec.Settings = media, nil, shownSettings(p.Spec.Settings)
	p.Spec.AccountRef, p.Spec.BatchRef = nil, nil // account and batch hold the names
	for _, text := range []*string{&p.Spec.BrandRef.Name, &p.Spec.Account, &p.Spec.PostingMode} {
		*text = shared(*text)
	}
	p.Status.Conditions, p.Status.Preparation = nil, nil
}

// shownSettings returns the settings that lists show: the cover, and whether there is a first comment. It returns nil
// if there is neither.
func shownSettings(s *v1beta1.PostSettings) *v1beta1.PostSettings {
	if s == nil {
		return nil
	}
	kept := v1beta1.PostSettings{Cover: s.Cover}
	if s.FirstComment != nil {
		kept.FirstComment = new(string)
	}
	if i := s.Instagram; i != nil && i.CoverOffset() != nil {
		kept.Instagram = &v1beta1.InstagramSettings{CoverOffsetMilliseconds: i.CoverOffset()}
	}
	if kept == (v1beta1.PostSettings{}) {
		return nil
	}
	return &kept
}

// trimMedia keeps the fields of a media item that lists show or search.
func trimMedia(m *v1beta1.MediaAsset) {
	m.ManagedFields = nil
	m.OwnerReferences = keptOwners(m)
	m.Spec.Source = v1beta1.MediaSource{Starter: m.Spec.Source.Starter}
	for _, text := range []*string{&m.Spec.MediaType, &m.Spec.ContentType} {
		*text = shared(*text)
	}
	for _, ref := range []*v1beta1.LocalRef{m.Spec.BrandRef, m.Spec.PackRef} {
		if ref != nil {
			ref.Name = shared(ref.Name)
		}
	}
	for i, tag := range m.Spec.Tags {
		m.Spec.Tags[i] = shared(tag)
	}
	st := &m.Status
	st.Conditions, st.Work, st.JobName = nil, nil, ""
	if p := st.Probe; p != nil {
		st.Probe = &v1beta1.MediaProbe{
			Kind: shared(p.Kind), ContentType: shared(p.ContentType), Bytes: p.Bytes, Width: p.Width, Height: p.Height,
			DurationMilliseconds: p.DurationMilliseconds,
		}
	}
}

// shortOwned replaces the owners of items that were fetched for a short. Lists only need to know that such an owner
// exists.
var shortOwned = []metav1.OwnerReference{{Kind: "Slideshow"}}

func keptOwners(m *v1beta1.MediaAsset) []metav1.OwnerReference {
	if view.ImportedForShort(m) {
		return shortOwned
	}
	return nil
}

// Empty slides that keep only the number of slides, shared by all objects.
var (
	blankSpecs  = make([]v1beta1.SlideSpec, mostBlank)
	blankSlides = make([]v1beta1.Slide, mostBlank)
	blankTexts  = make([]v1beta1.SlideText, mostBlank)
)

// mostBlank is more than the maximum number of slides.
const mostBlank = 32

func blank[S any](all []S, n int) []S {
	if n == 0 {
		return nil
	}
	if n > len(all) {
		return make([]S, n)
	}
	return all[:n:n]
}
