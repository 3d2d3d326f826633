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

// Kind is what an item is.
type Kind string

// Kinds.
const (
	Clip  Kind = "clip"  // a MediaAsset of the type avatar_video
	Track Kind = "track" // a MusicTrack
)

// AnnotationVersion holds, on an object of the starter set, the version of the item it was made from.
const AnnotationVersion = "reelops.dev/starter-version"

// Component is the value of the component label on objects of the starter set.
const Component = "starter-set"

// Drawn and Played count up whenever clips are drawn or tracks are played differently: objects made before are then replaced.
const (
	Drawn  = 1
	Played = 1
)

// Item is one clip or track.
type Item struct {
	// Name of the item, and of its object.
	Name string
	Kind Kind
	// Asset of a clip or Song of a track is what its object asks for; the other is nil.
	Asset *v1beta1.MediaAssetSpec
	Song  *v1beta1.MusicTrackSpec
}

// Items lists the starter set, always in the same order: music first, of which a piece is made in a fraction of a clip's time.
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

// Version changes when the item is made differently or says something else of itself.
func (i Item) Version() string {
	made := Drawn
	if i.Kind == Track {
		made = Played
	}
	doc, err := json.Marshal([]any{i.Asset, i.Song})
	if err != nil {
		panic(err) // plain values
	}
	sum := sha256.Sum256(doc)
	return fmt.Sprintf("%d-%s", made, hex.EncodeToString(sum[:6]))
}

// Check says whether a name stands for an item of a kind; the error is a sentence for whoever gave the name.
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
