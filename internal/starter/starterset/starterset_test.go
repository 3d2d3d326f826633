// SPDX-License-Identifier: Apache-2.0

package starterset_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/reelops/reelops/internal/starter/starterset"
)

func TestItems_AreValidObjects(t *testing.T) {
	seen := map[string]bool{}
	count := map[starterset.Kind]int{}
	for _, i := range starterset.Items() {
		if msgs := validation.IsDNS1123Subdomain(i.Name); len(msgs) > 0 || len(i.Name) > 100 {
			t.Errorf("%s cannot be the name of an object: %v", i.Name, msgs)
		}
		if seen[i.Name] {
			t.Errorf("two items have the name %s", i.Name)
		}
		seen[i.Name] = true
		count[i.Kind]++
		if (i.Asset != nil) != (i.Kind == starterset.Clip) || (i.Song != nil) != (i.Kind == starterset.Track) {
			t.Errorf("%s has another type", i.Name)
		}
		if err := starterset.Check(i.Kind, i.Name); err != nil {
			t.Error(err)
		}
		if i.Asset != nil && (i.Asset.Title == "" || i.Asset.Description == "" || len(i.Asset.Tags) < 3 || *i.Asset.Source.Starter != i.Name) {
			t.Errorf("%s lacks a description: %+v", i.Name, i.Asset)
		}
		if i.Song != nil && (i.Song.Title == "" || len(i.Song.Moods) == 0 || i.Song.License == nil || *i.Song.Source.Starter != i.Name) {
			t.Errorf("%s lacks a description: %+v", i.Name, i.Song)
		}
	}
	if count[starterset.Clip] < 4 || count[starterset.Track] < 8 {
		t.Errorf("the set is too small: %v", count)
	}
}

func TestItems_Names(t *testing.T) {
	for _, c := range []struct {
		kind starterset.Kind
		name string
		want string // part of the message; empty if the name is valid
	}{
		{starterset.Clip, "avatar-kitchen", ""},
		{starterset.Track, "night-drive", ""},
		{starterset.Clip, "night-drive", "use it in a MusicTrack"},
		{starterset.Track, "avatar-kitchen", "use it in a MediaAsset"},
		{starterset.Clip, "avatar-moon", "no item"},
		{starterset.Track, "", "no item"},
	} {
		err := starterset.Check(c.kind, c.name)
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %q: got %v", c.kind, c.name, err)
		}
	}
}

func TestVersion_DependsOnTheItem(t *testing.T) {
	i := starterset.Items()[0]
	was := i.Version()
	if was != starterset.Items()[0].Version() {
		t.Error("the same item has two versions")
	}
	i.Song.Title += "!"
	if i.Version() == was {
		t.Error("another title has the same version")
	}
}
