// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"context"
	"fmt"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/film/timeline"
)

const (
	// musicInput names the music among a film's inputs.
	musicInput = "music"
	// musicFade is how long the music takes to fade away at the end of a film; in a short film a quarter of it.
	musicFade = 1500 * time.Millisecond
)

// observeTrack reads the music that the short asks for. It is of interest only until the film is fixed: what a render
// began with it keeps.
func (r *Reconciler) observeTrack(ctx context.Context, o *observed) (err error) {
	if o.music() == nil {
		return nil
	}
	o.track, err = shortwork.Track(ctx, r.Client, o.short().GetNamespace(), r.Library, o.music())
	return err
}

// decideMusic returns the step for music that cannot be played now, or nil.
func decideMusic(o *observed, wait func(v1beta1.Reason, string) decision) *decision {
	silent := shortwork.Audible(o.music(), o.track, o.brand())
	if silent == nil {
		return nil
	}
	var d decision
	if silent.Failed {
		d = failed(catalog.ValidationFailed, false, silent.Message, map[string]string{"field": "background_music_id"})
	} else {
		d = wait(silent.Reason, silent.Message)
	}
	return &d
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
