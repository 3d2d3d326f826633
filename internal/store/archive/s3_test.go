// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"errors"
	"reflect"
	"testing"

	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/s3server"
)

func TestStore_OnS3(t *testing.T) {
	files, err := blob.Open(t.Context(), blob.Config{URL: s3server.Start(t).URL(), Cloud: clouds.Stores{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	shorts, posts := sample(12, 200, 4)
	seg := stored(t, files, shorts, posts)
	s := New(files, 1<<20)
	gotShorts, gotPosts := readAll(t, s, seg)
	if !reflect.DeepEqual(shorts, gotShorts) || !reflect.DeepEqual(posts, gotPosts) {
		t.Error("rows differ")
	}
	for range 20 {
		checkRandomRows(t, s, seg, shorts, posts)
	}
	if n, err := s.Sweep(t.Context(), "acme", nil); n != 0 || err != nil {
		t.Errorf("deleted %d new files, %v", n, err)
	}
	if err := s.Delete(t.Context(), "acme", seg); err != nil || len(testkit.Keys(t, files)) > 0 {
		t.Errorf("left %v, %v", testkit.Keys(t, files), err)
	}
	if _, err := New(files, 0).ShortKeys(t.Context(), "acme", seg); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}
