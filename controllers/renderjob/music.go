// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/timeline"
)

const (
	// musicInput names the music among a film's inputs.
	musicInput = "music"
	// musicFade is how long the music takes to fade away at the end of a film; in a short film a quarter of it.
	musicFade = 1500 * time.Millisecond
)

// trackKey is the object that a music source names.
func (r *Reconciler) trackKey(namespace string, m *v1beta1.MusicSource) client.ObjectKey {
	if m.LibraryTrackRef != nil {
		return client.ObjectKey{Namespace: r.Library, Name: m.LibraryTrackRef.Name}
	}
	if m.TrackRef != nil {
		return client.ObjectKey{Namespace: namespace, Name: m.TrackRef.Name}
	}
	return client.ObjectKey{}
}

// observeTrack reads the music that the short asks for. It is of interest only until the film is fixed: what a render
// began with it keeps.
func (r *Reconciler) observeTrack(ctx context.Context, o *seen) error {
	m := o.music()
	if m == nil {
		return nil
	}
	t := &v1beta1.MusicTrack{}
	err := r.Client.Get(ctx, r.trackKey(o.short().GetNamespace(), m), t)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the music: %w", err)
	}
	o.track = t
	return nil
}

// planMusic says why the music that is asked for cannot be played now, or nil. Music of another brand is not there for this
// one.
func planMusic(o *seen, wait func(v1beta1.Reason, string) step) *step {
	m, t := o.music(), o.track
	if m == nil {
		return nil
	}
	say := func(st step) *step { return &st }
	name, where := "", "that every account has"
	if m.TrackRef != nil {
		name, where = m.TrackRef.Name, "in the namespace"
	} else if m.LibraryTrackRef != nil {
		name = m.LibraryTrackRef.Name
	}
	switch {
	case t == nil || !t.DeletionTimestamp.IsZero(),
		t.Spec.BrandRef != nil && (m.LibraryTrackRef != nil || t.Spec.BrandRef.Name != o.brand()):
		return say(wait(v1beta1.ReasonTrackNotFound, fmt.Sprintf("There is no MusicTrack %q %s for the brand", name, where)))
	case t.Status.Work != nil && t.Status.Work.State == v1beta1.WorkFailed:
		return say(failed(catalog.ValidationFailed, false, fmt.Sprintf("The MusicTrack %q cannot be used", name), map[string]string{"field": "background_music_id"}))
	case t.Status.Work == nil || t.Status.Work.State != v1beta1.WorkSucceeded || t.Status.BlobKey == "" || t.Status.Probe == nil:
		return say(wait(v1beta1.ReasonTrackNotReady, fmt.Sprintf("The MusicTrack %q is not taken in yet", name)))
	}
	return nil
}

// pinMusic gives the render a copy of its own of the music: the track may be deleted while the render is at work, or between
// two attempts.
func (r *Reconciler) pinMusic(ctx context.Context, j *v1beta1.RenderJob, t *v1beta1.MusicTrack) error {
	if err := r.Store.Copy(ctx, musicKey(j), t.Status.BlobKey); err != nil {
		return fmt.Errorf("keeping the music: %w", err)
	}
	return nil
}

func musicKey(j *v1beta1.RenderJob) string { return prefix(j) + "music" }

// withMusic lays a track under the film.
func (f *film) withMusic(key string) {
	total := f.Timeline.Frames()
	a := &f.Timeline.Audio
	a.Kind, a.Input, a.Loop, a.FadeOutFrames = timeline.Music, musicInput, true, min(frames(musicFade), total/4)
	f.Inputs[musicInput] = key
}

// maxBytes bounds an input of a film.
func maxBytes(input string) int64 {
	switch {
	case input == musicInput || strings.HasPrefix(input, speechInput):
		return catalog.MaxTrackBytes
	case strings.HasPrefix(input, clipInput):
		return catalog.MaxVideoBytes
	}
	return maxInputBytes
}

// anySource is the key of IndexWaitingFor under which every waiting RenderJob is found; no object can have the name.
const anySource = "*"

// waitingForMusic leads from a track to the renders that wait, which are few: those of its namespace, or of all when it is
// one that every account has.
func (r *Reconciler) waitingForMusic(ctx context.Context, o client.Object) []ctrl.Request {
	in := []client.ListOption{client.MatchingFields{IndexWaitingFor: anySource}}
	if o.GetNamespace() != r.Library {
		in = append(in, client.InNamespace(o.GetNamespace()))
	}
	return r.waiting(ctx, in...)
}
