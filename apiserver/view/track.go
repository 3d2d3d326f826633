// SPDX-License-Identifier: Apache-2.0

package view

import (
	"math"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Sources of music.
const (
	// TrackLibrary is the starter set.
	TrackLibrary = "library"
	// TrackUpload is music of the brand or its account.
	TrackUpload = "upload"
	// TrackStock is other music that the installation shares with every account.
	TrackStock = "stock"
)

// Track is a piece of background music.
type Track struct {
	ID              int64                  `json:"id" example:"7" doc:"Value for background_music_id."`
	Title           string                 `json:"title" doc:"Display title."`
	Artist          *string                `json:"artist" doc:"The artist's name."`
	DurationSeconds float64                `json:"duration_seconds" doc:"Length of the track. It is repeated in a longer video."`
	URL             string                 `json:"url" format:"uri" doc:"URL of the track. The URL needs no key and is valid for 24 hours. Each read returns a new URL."`
	Source          string                 `json:"source" enum:"library,upload,stock" doc:"library: the starter set. upload: a track of the brand or its account. stock: other tracks that all accounts share."`
	Genre           *string                `json:"genre" doc:"Genre in a word or two."`
	Moods           []string               `json:"moods" doc:"Moods that the track suits."`
	BPM             *int32                 `json:"bpm" doc:"Beats per minute."`
	License         Nullable[TrackLicense] `json:"license" doc:"License of the track; null if unknown."`
	CreatedAt       Time                   `json:"created_at" doc:"When the track was added."`
}

// TrackLicense holds the license terms of a track.
type TrackLicense struct {
	Name                string  `json:"name" doc:"Name of the license, such as CC BY 4.0."`
	URL                 *string `json:"url" doc:"URL of the license text."`
	AttributionRequired bool    `json:"attribution_required" doc:"Whether the artist must be named where the track is used."`
}

// TrackOf returns the view of an ingested track. common reports whether every account has it.
func TrackOf(id int64, t *v1beta1.MusicTrack, common bool, sign Signer) (*Track, error) {
	address, err := sign(t.Status.BlobKey, catalog.LibraryURLValidity)
	if err != nil {
		return nil, err
	}
	out := &Track{
		ID: id, Title: t.Spec.Title, Artist: nonEmpty(t.Spec.Artist), Genre: nonEmpty(t.Spec.Genre), Moods: list(t.Spec.Moods), BPM: t.Spec.BPM,
		DurationSeconds: math.Round(float64(t.Status.Probe.DurationMilliseconds)) / 1000, URL: address, Source: TrackUpload,
		CreatedAt: Time{v1beta1.CreatedAt(t).Time},
	}
	switch {
	case common && t.Spec.Source.Starter != nil:
		out.Source = TrackLibrary
	case common:
		out.Source = TrackStock
	}
	if l := t.Spec.License; l != nil {
		out.License = Nullable[TrackLicense]{Value: &TrackLicense{Name: l.Name, URL: nonEmpty(l.URL), AttributionRequired: l.AttributionRequired}}
	}
	return out, nil
}
