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
	// musicInput is the name of the music among the inputs.
	musicInput = "music"
	// musicFade is the duration of the fade-out at the end of a video, at most a quarter of the video.
	musicFade = 1500 * time.Millisecond
)

// observeTrack reads the music of the source. A render keeps the music that it started with, so the track is read only
// before the timeline is stored.
func (r *Reconciler) observeTrack(ctx context.Context, o *observed) (err error) {
	if o.music() == nil {
		return nil
	}
	o.track, err = shortwork.Track(ctx, r.Client, o.short().GetNamespace(), r.Library, o.music())
	return err
}

// decideMusic returns the decision for music that cannot be played now; nil otherwise.
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

// pinMusic copies the music for the render. The track may be deleted during the render or between two attempts.
func (r *Reconciler) pinMusic(ctx context.Context, j *v1beta1.RenderJob, t *v1beta1.MusicTrack) error {
	if err := r.Store.Copy(ctx, musicKey(j), t.Status.BlobKey); err != nil {
		return fmt.Errorf("storing the music: %w", err)
	}
	return nil
}

func musicKey(j *v1beta1.RenderJob) string { return prefix(j) + "music" }

// withMusic adds a track to the timeline.
func (f *film) withMusic(key string) {
	total := f.Timeline.Frames()
	a := &f.Timeline.Audio
	a.Kind, a.Input, a.Loop, a.FadeOutFrames = timeline.Music, musicInput, true, min(frames(musicFade), total/4)
	f.Inputs[musicInput] = key
}

// maxBytes returns the size limit of an input.
func maxBytes(input string) int64 {
	switch {
	case input == musicInput || strings.HasPrefix(input, speechInput):
		return catalog.MaxTrackBytes
	case strings.HasPrefix(input, clipInput):
		return catalog.MaxVideoBytes
	}
	return maxInputBytes
}

// anySource is the key of IndexWaitingFor for all waiting RenderJobs. No object can have this name.
const anySource = "*"

// waitingForMusic returns requests for the waiting renders that may use a track: those of its namespace, or all for a
// track of the library.
func (r *Reconciler) waitingForMusic(ctx context.Context, o client.Object) []ctrl.Request {
	in := []client.ListOption{client.MatchingFields{IndexWaitingFor: anySource}}
	if o.GetNamespace() != r.Library {
		in = append(in, client.InNamespace(o.GetNamespace()))
	}
	return r.waiting(ctx, in...)
}
