// SPDX-License-Identifier: Apache-2.0

package pinnedfiles

import (
	"slices"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestReleased(t *testing.T) {
	post := func(state v1beta1.PostState, keys ...string) *v1beta1.Post {
		return &v1beta1.Post{Spec: v1beta1.PostSpec{Media: v1beta1.PostMedia{PhotoKeys: keys}}, Status: v1beta1.PostStatus{State: state}}
	}
	open := post(v1beta1.PostScheduled, "shorts/acme/1/r1/a.png", "shorts/acme/1/r1/b.png")
	for name, c := range map[string]struct {
		before, after *v1beta1.Post
		want          []string
	}{
		"a post with another change":    {open, post(v1beta1.PostPending, "shorts/acme/1/r1/a.png", "shorts/acme/1/r1/b.png"), nil},
		"a post that ended":             {open, post(v1beta1.PostSuccess, "shorts/acme/1/r1/a.png", "shorts/acme/1/r1/b.png"), []string{"shorts/acme/1/"}},
		"a post with other files":       {open, post(v1beta1.PostScheduled, "shorts/acme/2/r1/a.png"), []string{"shorts/acme/1/"}},
		"a post that had already ended": {post(v1beta1.PostFailed, "shorts/acme/1/r1/a.png"), post(v1beta1.PostFailed), nil},
	} {
		if got := released(c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := released(open, nil); !slices.Equal(got, []string{"shorts/acme/1/"}) {
		t.Errorf("a deleted post: got %v", got)
	}
}
