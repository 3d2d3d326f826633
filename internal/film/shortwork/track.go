// SPDX-License-Identifier: Apache-2.0

package shortwork

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
)

// Track returns the MusicTrack that a short in a namespace names. It returns nil if the track does not exist, or if the
// short names none. library is the namespace whose tracks are visible to every account.
func Track(ctx context.Context, c client.Reader, namespace, library string, m *v1beta1.MusicSource) (*v1beta1.MusicTrack, error) {
	switch {
	case m == nil:
		return nil, nil
	case m.LibraryTrackRef != nil:
		return Get(ctx, c, library, m.LibraryTrackRef.Name, &v1beta1.MusicTrack{})
	case m.TrackRef != nil:
		return Get(ctx, c, namespace, m.TrackRef.Name, &v1beta1.MusicTrack{})
	}
	return nil, nil
}

// Silent is why the music of a short cannot be played now.
type Silent struct {
	Reason  v1beta1.Reason
	Message string
	Failed  bool // the track is unusable as it is; otherwise it may become ready
}

// Audible returns nil if the track that a short of a brand names can be played, or if the short names none. t is the
// result of Track. A track of another brand counts as absent.
func Audible(m *v1beta1.MusicSource, t *v1beta1.MusicTrack, brand string) *Silent {
	if m == nil {
		return nil
	}
	name, where := "", "in the library"
	if m.TrackRef != nil {
		name, where = m.TrackRef.Name, "in the namespace"
	} else if m.LibraryTrackRef != nil {
		name = m.LibraryTrackRef.Name
	}
	switch {
	case t == nil || !t.DeletionTimestamp.IsZero(),
		t.Spec.BrandRef != nil && (m.LibraryTrackRef != nil || t.Spec.BrandRef.Name != brand):
		return &Silent{Reason: v1beta1.ReasonTrackNotFound, Message: fmt.Sprintf("There is no MusicTrack %q %s for the brand", name, where)}
	case t.Status.Work != nil && t.Status.Work.State == v1beta1.WorkFailed:
		return &Silent{
			Reason: v1beta1.ReasonTrackNotReady, Failed: true,
			Message: fmt.Sprintf("The MusicTrack %q cannot be used: %s", name, status.Why(t.Status.Conditions)),
		}
	case t.Status.Work == nil || t.Status.Work.State != v1beta1.WorkSucceeded || t.Status.BlobKey == "" || t.Status.Probe == nil:
		return &Silent{Reason: v1beta1.ReasonTrackNotReady, Message: fmt.Sprintf("The MusicTrack %q is not ready: %s", name, status.Why(t.Status.Conditions))}
	}
	return nil
}
