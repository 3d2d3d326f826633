// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

func archiveOf(account string, segments ...v1beta1.ArchiveSegment) *v1beta1.Archive {
	a := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: v1beta1.ArchiveName}}
	a.Status.Segments = segments
	return a
}

func shortOf(account string, id int64, labels ...string) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "show-" + strconv.FormatInt(id, 10)}}
	s.Labels = map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}
	for _, l := range labels {
		s.Labels[l] = "true"
	}
	s.Spec.BrandRef.Name = "coffee"
	return s
}

func TestArchiveStatus(t *testing.T) {
	day := func(d int) metav1.Time { return metav1.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	a := archiveOf("acme", v1beta1.ArchiveSegment{From: day(5)}, v1beta1.ArchiveSegment{From: day(2), Phase: v1beta1.ArchiveHiding})
	a.Spec.Restore = []int64{7}
	a.Status.Shorts, a.Status.Posts, a.Status.Bytes = 30, 120, 3<<20
	c := newCluster(t, testkit.Account("acme"), testkit.Account("other"), a)
	out, err := c.try("archive", "status")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(out), " "); got !=
		"ACCOUNT SHORTS POSTS SEGMENTS SIZE OLDEST LEAVING RESTORING REASON acme 30 120 2 3Mi 2026-10-02 1 1" {
		t.Errorf("got %q", got)
	}
	if got := c.do("archive", "status", "--account", "acme"); len(got["items"].([]any)) != 1 {
		t.Errorf("got %v", got)
	}
	if out, errOut, err := c.run("archive", "status", "--account", "other"); err == nil && out != "" || !strings.Contains(errOut, "No archives found") {
		t.Errorf("an account without an archive: got %q, %q, %v", out, errOut, err)
	}
}

// manager restores the shorts of an archive whenever spec.restore changes. Ids above 100 are not in the archive.
func manager(t *testing.T, c *cluster) {
	t.Helper()
	c.WithWatch = interceptor.NewClient(c.WithWatch, interceptor.Funcs{
		Patch: func(ctx context.Context, w client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if err := w.Patch(ctx, o, p, opts...); err != nil {
				return err
			}
			a := o.DeepCopyObject().(*v1beta1.Archive)
			for _, id := range a.Spec.Restore {
				if id <= 100 {
					must(t, w.Create(ctx, shortOf(a.Namespace, id)))
				}
			}
			a.Spec.Restore = nil
			return w.Update(ctx, a)
		},
	})
}

func TestArchiveRestore(t *testing.T) {
	c := newCluster(t, archiveOf("acme"), shortOf("acme", 1), shortOf("acme", 2, v1beta1.LabelArchived))
	manager(t, c)
	c.refuse("is a number", "archive", "restore", "one", "--account", "acme")
	c.refuse("--timeout must be positive", "archive", "restore", "1", "--account", "acme", "--timeout", "0s")
	c.refuse(`nothing of the account "other" is archived`, "archive", "restore", "1", "--account", "other")

	if got := c.do("archive", "restore", "1", "--account", "acme"); len(got["restored"].([]any)) != 0 {
		t.Errorf("a short in the cluster was restored: %v", got)
	}
	got := c.do("archive", "restore", "4", "1", "3", "3", "--account", "acme")
	if d := cmp.Diff(map[string]any{"account": "acme", "shorts": []any{1.0, 3.0, 4.0}, "restored": []any{3.0, 4.0}}, got); d != "" {
		t.Error(d)
	}
	if _, err := c.try("archive", "restore", "5", "101", "--account", "acme"); exitCode(err) != exitNotFound || !strings.Contains(err.Error(), ": 101") {
		t.Errorf("a short that is not in the archive: got %v", err)
	}
}

// TestArchiveRestore_LeavingShort requests the restore of a short whose objects are hidden already.
func TestArchiveRestore_LeavingShort(t *testing.T) {
	c := newCluster(t, archiveOf("acme"), shortOf("acme", 2, v1beta1.LabelArchived))
	_, err := c.try("archive", "restore", "2", "--account", "acme", "--timeout", "10ms")
	if err == nil || !strings.Contains(err.Error(), "not restored after --timeout 10ms: 2. The restore continues") {
		t.Errorf("without a manager: got %v", err)
	}
	a := &v1beta1.Archive{}
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: v1beta1.ArchiveName}, a))
	if !slices.Equal(a.Spec.Restore, []int64{2}) {
		t.Errorf("got spec.restore %v", a.Spec.Restore)
	}
}

// TestArchiveRestore_KeepsOtherRequests adds a short while another client does so.
func TestArchiveRestore_KeepsOtherRequests(t *testing.T) {
	c := newCluster(t, archiveOf("acme"))
	whole, once := c.WithWatch, false
	c.WithWatch = interceptor.NewClient(whole, interceptor.Funcs{
		Patch: func(ctx context.Context, w client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if !once {
				once = true
				other := archiveOf("acme")
				must(t, w.Get(ctx, client.ObjectKeyFromObject(other), other))
				other.Spec.Restore = []int64{9}
				must(t, w.Update(ctx, other))
			}
			return w.Patch(ctx, o, p, opts...)
		},
	})
	_, _ = c.try("archive", "restore", "2", "--account", "acme", "--timeout", "10ms")
	a := &v1beta1.Archive{}
	must(t, whole.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: v1beta1.ArchiveName}, a))
	if slices.Sort(a.Spec.Restore); !slices.Equal(a.Spec.Restore, []int64{2, 9}) {
		t.Errorf("got spec.restore %v", a.Spec.Restore)
	}
}

func TestArchiveRestore_ReadsFail(t *testing.T) {
	c := newCluster(t, archiveOf("acme"))
	n := 0
	c.WithWatch = interceptor.NewClient(c.WithWatch, interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, k client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if n++; n > 1 {
				return testkit.ErrFault
			}
			return w.Get(ctx, k, o, opts...)
		},
	})
	if _, err := c.try("archive", "restore", "2", "--account", "acme", "--timeout", "10ms"); !errors.Is(err, testkit.ErrFault) {
		t.Errorf("got %v", err)
	}
}

// stored writes a segment with one short to a folder store.
func stored(t *testing.T, dir string, id int64) v1beta1.ArchiveSegment {
	t.Helper()
	files, err := openBlobs(t.Context(), "file://"+dir)
	must(t, err)
	defer func() { _ = files.Close() }()
	doc, err := archive.EncodeAll([]client.Object{shortOf("acme", id)})
	must(t, err)
	at := time.Date(2026, 10, 5, 0, 0, 0, 0, time.UTC)
	seg, err := archive.New(files, 0).Write(t.Context(), "acme", []archive.Short{{
		ID: id, Kind: v1beta1.KindSlideshow, Brand: "coffee", State: "succeeded", CreatedAt: at, ArchivedAt: at, Objects: doc,
	}}, nil)
	must(t, err)
	return seg
}

func TestArchiveVerify(t *testing.T) {
	dir := t.TempDir()
	sound, damaged := stored(t, dir, 7), stored(t, dir, 8)
	more := sound
	more.Posts = 1
	for name, c := range map[string]struct {
		segments []v1beta1.ArchiveSegment
		faults   []string // parts of the lines
	}{
		"none":       {nil, nil},
		"sound":      {[]v1beta1.ArchiveSegment{sound}, nil},
		"damaged":    {[]v1beta1.ArchiveSegment{sound, damaged}, []string{"acme/" + damaged.Name + ": "}},
		"other rows": {[]v1beta1.ArchiveSegment{more}, []string{"acme/" + sound.Name + ": "}},
	} {
		must(t, os.WriteFile(filepath.Join(dir, "archive", "acme", damaged.Name, "shorts.parquet"), []byte("PAR1"), 0o600))
		k := newCluster(t, testkit.Account("acme"), archiveOf("acme", c.segments...))
		out, err := k.try("archive", "verify", "--blobs", "file://"+dir, "-o", "jsonpath={.faults[*]}")
		if exitCode(err) != min(len(c.faults), 1) {
			t.Errorf("%s: got %v", name, err)
		}
		for _, want := range c.faults {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got %q, want %q", name, out, want)
			}
		}
		if len(c.faults) == 0 && out != "" {
			t.Errorf("%s: got %q", name, out)
		}
	}
	k := newCluster(t, testkit.Account("acme"))
	k.refuse(`required flag(s) "blobs" not set`, "archive", "verify")
	k.refuse(`there is no account "other"`, "archive", "verify", "--account", "other", "--blobs", "file://"+dir)
}

// TestArchiveVerify_MergedSegment passes over a segment that was merged with others after the Archive was read.
func TestArchiveVerify_MergedSegment(t *testing.T) {
	dir := t.TempDir()
	merged := stored(t, dir, 7)
	must(t, os.RemoveAll(filepath.Join(dir, "archive", "acme", merged.Name)))
	c := newCluster(t, archiveOf("acme"))
	whole := c.WithWatch
	c.WithWatch = interceptor.NewClient(whole, interceptor.Funcs{
		List: func(ctx context.Context, w client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			err := w.List(ctx, l, opts...)
			if l, ok := l.(*v1beta1.ArchiveList); ok {
				l.Items[0].Status.Segments = []v1beta1.ArchiveSegment{merged}
			}
			return err
		},
	})
	if got := c.do("archive", "verify", "--blobs", "file://"+dir); got["segments"] != 0.0 {
		t.Errorf("got %v", got)
	}
}
