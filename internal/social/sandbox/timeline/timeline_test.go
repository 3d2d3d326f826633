// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func ids(list []*sandbox.Landing) (out []string) {
	for _, l := range list {
		out = append(out, l.ID)
	}
	return out
}

func TestOrder(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s := New([]sandbox.Landing{
		{ID: "2", Account: "maya", At: at}, {ID: "4", Account: "maya", At: at.Add(time.Hour)}, {ID: "3", Account: "maya", At: at}, {ID: "1", Account: "acme", At: at},
	})
	check := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, ids(s.Of("maya"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("at first", "4", "3", "2")
	before := s.Of("maya")
	s.Put(sandbox.Landing{ID: "5", Account: "maya", At: at.Add(-time.Hour)})
	check("a post older than all others", "4", "3", "2", "5")
	s.Put(sandbox.Landing{ID: "5", Account: "maya", At: at.Add(2 * time.Hour), Visibility: sandbox.Private})
	check("the same post, later and private", "5", "4", "3", "2")
	s.Take("3")
	s.Take("nobody")
	check("a deleted post", "5", "4", "2")
	if diff := cmp.Diff([]string{"4", "3", "2"}, ids(before)); diff != "" {
		t.Errorf("a returned list changed (-want +got):\n%s", diff)
	}
	if s.Find("3") != nil || s.Find("5").Visibility != sandbox.Private || len(s.Of("nobody")) > 0 {
		t.Error("Find returns a missing post, or none for an existing one")
	}
	s.Clear()
	check("cleared")
}
