// SPDX-License-Identifier: Apache-2.0

package video

import (
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/naming"
)

// source is a clip that the spec requests.
type source struct {
	role string
	// field is the API field that names the clip, such as product_demo_urls[0] or clips[0].media_id. startField is the
	// API field with the start of a demo.
	field, startField string
	// path is the field in a manifest, such as demos[0].
	path string
	key  client.ObjectKey
	// library reports whether the clip is shared with every account. own reports whether the video creates and owns the
	// MediaAsset, from url.
	library, own bool
	url          string
	// demo is how the film shows the clip; zero for the avatar.
	demo v1beta1.DemoClip
	// asset is nil if it does not exist.
	asset *v1beta1.MediaAsset
}

// sources returns the clips in order: the avatar, then the demos.
func sources(v *v1beta1.Video, library string) []source {
	out := []source{sourceOf(v, v.Spec.Avatar, library, v1beta1.ClipAvatar, "avatar", "avatar_media_id", "avatar_url")}
	out[0].path = "avatar"
	urls, clips := 0, 0
	for i := range v.Spec.Demos {
		d, startField := &v.Spec.Demos[i], ""
		idField, urlField := "product_demo_media_ids", fmt.Sprintf("product_demo_urls[%d]", urls)
		if d.Detailed() {
			idField, urlField = fmt.Sprintf("clips[%d].media_id", clips), fmt.Sprintf("clips[%d].url", clips)
			startField = fmt.Sprintf("clips[%d].start", clips)
			clips++
		} else if d.URL != nil {
			urls++
		}
		s := sourceOf(v, d.ClipSource, library, v1beta1.ClipProductDemo, fmt.Sprintf("demo%d", i+1), idField, urlField)
		s.demo, s.startField, s.path = *d, startField, fmt.Sprintf("demos[%d]", i)
		out = append(out, s)
	}
	return out
}

func sourceOf(v *v1beta1.Video, c v1beta1.ClipSource, library, role, place, idField, urlField string) source {
	s := source{role: role, field: idField}
	switch {
	case c.MediaRef != nil:
		s.key = client.ObjectKey{Namespace: v.Namespace, Name: c.MediaRef.Name}
	case c.LibraryRef != nil:
		s.key, s.library = client.ObjectKey{Namespace: library, Name: c.LibraryRef.Name}, true
	case c.URL != nil:
		s.key, s.own, s.url, s.field = client.ObjectKey{Namespace: v.Namespace, Name: naming.Child(v.Name, string(v1beta1.Origin(v)), place)}, true, *c.URL, urlField
	}
	return s
}

// manifestFields maps REST field names to fields of the spec.
var manifestFields = map[string]string{"text_settings": "textSettings", "hook_text": "hookText", "product_demo_media_ids": "demos", "background_music_id": "music"}

// manifestField returns the spec field for the field of an error. Errors use REST field names; conditions are read next
// to the manifest.
func manifestField(v *v1beta1.Video, field string) string {
	if f := manifestFields[field]; f != "" {
		return f
	}
	for _, s := range sources(v, "") {
		switch field {
		case s.field:
			return s.path
		case s.startField:
			return s.path + ".startMilliseconds"
		}
	}
	return field
}

// description returns what messages call the clip.
func (s source) description() string {
	if s.own {
		return "clip of " + s.path
	}
	return fmt.Sprintf("MediaAsset %q", s.key.Name)
}

// visible reports whether a brand may use the clip: one of its own, one that the account shares, or one of the library.
func (s source) visible(brand string) bool {
	b := s.asset.Spec.BrandRef
	if s.library {
		return b == nil
	}
	return b == nil || b.Name == brand
}

// exists reports whether the asset exists and is not being deleted.
func (s source) exists() bool { return s.asset != nil && s.asset.DeletionTimestamp.IsZero() }

// ready reports whether the clip can be used.
func (s source) ready() bool {
	return s.exists() && s.asset.Status.Error == nil && s.asset.Status.BlobKey != "" && s.asset.Status.Probe != nil
}

// failed reports whether the clip could not be ingested.
func (s source) failed() bool {
	return s.asset != nil && s.asset.Status.Error != nil && s.asset.Status.Work != nil && s.asset.Status.Work.State == v1beta1.WorkFailed
}

// fault returns why the clip cannot be used; nil if it can be used, or may become usable.
func (s source) fault(brand string) *v1beta1.WorkError {
	bad := func(code catalog.Code, retryable bool, message string, details map[string]string) *v1beta1.WorkError {
		if details == nil {
			details = map[string]string{}
		}
		details["field"] = s.field
		return &v1beta1.WorkError{Code: string(code), Message: message, Retryable: retryable, Details: details}
	}
	what := s.description()
	if s.own { // the field names the clip
		what = "clip"
	}
	switch {
	case !s.exists():
		return nil
	case !s.visible(brand):
		return bad(catalog.ValidationFailed, false, fmt.Sprintf("The %s belongs to another brand", s.description()), nil)
	case s.failed():
		e := s.asset.Status.Error
		return bad(catalog.Code(e.Code), e.Retryable, fmt.Sprintf("The %s cannot be used: %s", what, e.Message), maps.Clone(e.Details))
	case s.ready() && s.asset.Status.Probe.Kind != kindVideo:
		return bad(catalog.ValidationFailed, false, fmt.Sprintf("The %s is an image: a video clip is required", s.description()), map[string]string{"reason": "type_mismatch"})
	case s.ready():
		if message := s.untrimmable(what); message != "" {
			s.field = s.startField
			return bad(catalog.ValidationFailed, false, message, map[string]string{"reason": "too_short"})
		}
	}
	return nil
}

// length returns the length of the whole clip. The clip must be ready.
func (s source) length() time.Duration {
	return time.Duration(s.asset.Status.Probe.DurationMilliseconds) * time.Millisecond
}

// part returns the start and the length of the part of the clip that the film uses. An end beyond the end of the clip
// means the end of the clip. The length is not positive if the start is at or beyond the end; see untrimmable.
func (s source) part() (start, length time.Duration) {
	start, end := time.Duration(s.demo.StartMilliseconds)*time.Millisecond, s.length()
	if e := s.demo.EndMilliseconds; e != nil {
		end = min(end, time.Duration(*e)*time.Millisecond)
	}
	return start, end - start
}

// untrimmable returns a sentence that explains why the clip is too short for the start in the spec; empty if it is not.
// A short clip that is used from its beginning is accepted: its last frame stays.
func (s source) untrimmable(what string) string {
	start, left := s.part()
	switch {
	case start == 0 || left >= catalog.MinFilmClip:
		return ""
	case start >= s.length():
		return fmt.Sprintf("The %s is %s long, so it cannot begin at %s", what, s.length(), start)
	}
	return fmt.Sprintf("The %s is %s long: from %s on, only %s are left, and at least %s are needed", what, s.length(), start, left, catalog.MinFilmClip)
}

// kindVideo is the kind of a clip in a MediaProbe.
const kindVideo = "video"

// media returns the MediaAsset for a URL.
func (s source) media(v *v1beta1.Video) *v1beta1.MediaAsset {
	mediaType := catalog.MediaProductDemo
	if s.role == v1beta1.ClipAvatar {
		mediaType = catalog.MediaAvatarVideo
	}
	return &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.key.Namespace, Name: s.key.Name, Finalizers: []string{v1beta1.FinalizerMediaAsset},
			Labels: map[string]string{v1beta1.LabelBrand: v.Spec.BrandRef.Name},
		},
		Spec: v1beta1.MediaAssetSpec{BrandRef: v.Spec.BrandRef.DeepCopy(), MediaType: mediaType, Source: v1beta1.MediaSource{URL: &s.url}},
	}
}
