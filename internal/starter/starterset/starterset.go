// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/avatar"
	"github.com/reelops/reelops/internal/starter/music"
)

// Kind is the kind of an item.
type Kind string

// Kinds.
const (
	Clip  Kind = "clip"  // a MediaAsset of the type avatar_video
	Track Kind = "track" // a MusicTrack
)

// AnnotationVersion holds, on an object of the starter set, the version of the item that the object was created from.
const AnnotationVersion = "reelops.dev/starter-version"

// Drawn and Played are the versions of the clips and the tracks. Increment them when the rendering changes, so that
// existing objects are replaced.
const (
	Drawn  = 1
	Played = 1
)

// Item is one clip or track.
type Item struct {
	// Name is the name of the item and of its object.
	Name string
	Kind Kind
	// Asset is the spec of the object of a clip, and Song that of a track; the other is nil.
	Asset *v1beta1.MediaAssetSpec
	Song  *v1beta1.MusicTrackSpec
}

// Items returns the starter set in a fixed order. Music is first, because a track renders in a fraction of the time of
// a clip.
func Items() []Item {
	var out []Item
	for _, t := range music.Tracks() {
		out = append(out, track(t))
	}
	for _, i := range avatar.All() {
		out = append(out, clip(i))
	}
	return out
}

func clip(i avatar.Info) Item {
	return Item{Name: i.Name, Kind: Clip, Asset: &v1beta1.MediaAssetSpec{
		MediaType: "avatar_video", Title: i.Title, Description: i.Description, Tags: i.Tags, ContentType: avatar.ContentType,
		Source: v1beta1.MediaSource{Starter: ptr.To(i.Name)},
	}}
}

func track(t music.Track) Item {
	return Item{Name: t.Name, Kind: Track, Song: &v1beta1.MusicTrackSpec{
		Title: t.Title, Artist: t.Artist, Genre: t.Genre, Moods: t.Moods, BPM: ptr.To(int32(t.BPM)),
		License: &v1beta1.MusicLicense{Name: t.License.Name, URL: t.License.URL, AttributionRequired: t.License.AttributionRequired},
		Source:  v1beta1.MediaSource{Starter: ptr.To(t.Name)},
	}}
}

// Version returns a string that changes when the rendering or the spec of the item changes.
func (i Item) Version() string {
	made := Drawn
	if i.Kind == Track {
		made = Played
	}
	doc, err := json.Marshal([]any{i.Asset, i.Song})
	if err != nil {
		panic(err) // plain values always marshal
	}
	sum := sha256.Sum256(doc)
	return fmt.Sprintf("%d-%s", made, hex.EncodeToString(sum[:6]))
}

// Check returns an error for users if name is not the name of an item of the kind.
func Check(kind Kind, name string) error {
	_, isClip := avatar.Find(name)
	_, isTrack := music.ByName(name)
	switch {
	case kind == Clip && isClip, kind == Track && isTrack:
		return nil
	case isClip:
		return fmt.Errorf("%s is an avatar clip of the starter set: use it in a MediaAsset", name)
	case isTrack:
		return fmt.Errorf("%s is a track of the starter set: use it in a MusicTrack", name)
	}
	return fmt.Errorf("the starter set has no item %q", name)
}
