// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var listMusicSpec = operation.Spec{
	Name: "list_background_music", Method: http.MethodGet, Path: "/api/v1/background_music", Tag: "Media",
	Summary: "List background music",
	Description: "The list has at most 500 tracks. First is the library, a starter set of loops of every installation, by title. " +
		"Then follow the uploads of the brand and its account, newest first. " +
		"Last is stock, the other tracks that all accounts share, by title. " +
		"Tracks that are still being processed, or cannot be used, are not listed. " +
		"Pass the id of a track as `background_music_id`: the track is repeated until the end of the video, faded out, and normalized to -14 LUFS. " +
		"Add music with a MusicTrack manifest or with `reelops music add`.",
	Scope: v1beta1.ScopeMediaRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleTracks(),
}

func (s *Service) listMusic(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[[]view.Track], error) {
	tracks, err := s.Reader.Tracks(ctx, s.Library, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	tracks = tracks[:min(len(tracks), catalog.MaxListedTracks)]
	reply := &operation.Reply[[]view.Track]{Data: make([]view.Track, 0, len(tracks))}
	sign := s.signer(ctx, c)
	for i := range tracks {
		t := &tracks[i]
		track, err := view.TrackOf(read.ID(t), t, t.Namespace == s.Library && t.Spec.BrandRef == nil, sign)
		if err != nil {
			return nil, err
		}
		reply.Data = append(reply.Data, *track)
	}
	return reply, nil
}

// MusicID chooses background music; null means no music.
type MusicID struct {
	// Given reports whether the member is present.
	Given bool
	// ID of the track; 0 for none.
	ID operation.ID
}

// UnmarshalJSON decodes an id or null.
func (m *MusicID) UnmarshalJSON(b []byte) error {
	*m = MusicID{Given: true}
	if bytes.Equal(bytes.TrimSpace(b), []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, &m.ID)
}

// Schema returns the schema of an id or null.
func (MusicID) Schema(r huma.Registry) *huma.Schema {
	s := operation.ID(0).Schema(r)
	s.AnyOf = append(s.AnyOf, &huma.Schema{Type: "null"})
	s.Description = "The id of a track of `GET /background_music`. null for no music."
	s.Extensions = map[string]any{operation.NullCounts: true}
	return s
}

// music returns the music source for the choice: a track of the brand, of its account, or one that every account has.
// The track may still be in ingestion: the video waits for it.
func (s *Service) music(ctx context.Context, c *operation.Call, chosen MusicID) (*v1beta1.MusicSource, error) {
	if chosen.ID == 0 {
		return nil, nil
	}
	const field = "background_music_id"
	t, err := s.Reader.TrackByID(ctx, s.Library, c.Namespace(), c.Brand.Name, int64(chosen.ID))
	switch {
	case errors.Is(err, read.ErrNotFound):
		return nil, problem.Field(field, "There is no such track.")
	case err != nil:
		return nil, err
	case t.Status.Error != nil:
		return nil, problem.Field(field, "The track cannot be used.")
	case t.Namespace == c.Namespace():
		return &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: t.Name}}, nil
	}
	return &v1beta1.MusicSource{LibraryTrackRef: &v1beta1.LocalRef{Name: t.Name}}, nil
}

func exampleTracks() any {
	t, err := view.TrackOf(7, &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(exampleTime.Time)},
		Spec: v1beta1.MusicTrackSpec{
			Title: "Morning Light", Artist: "Reelops", Genre: "acoustic", Moods: []string{"uplifting", "warm"}, BPM: ptr.To[int32](96),
			License: &v1beta1.MusicLicense{Name: "CC0 1.0", URL: "https://creativecommons.org/publicdomain/zero/1.0/"},
			Source:  v1beta1.MediaSource{Starter: ptr.To("morning-light")},
		},
		Status: v1beta1.MusicTrackStatus{BlobKey: "media/reelops-system/7/file.flac", Probe: &v1beta1.TrackProbe{DurationMilliseconds: 40_000}},
	}, true, exampleSign)
	if err != nil {
		panic(err) // signing an example does not fail
	}
	return []any{t}
}
