// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/runner"
)

// retain sets the retention of the account.
func (w *world) retain(days int32) {
	w.Helper()
	a := testkit.Account(w.namespace)
	if err := w.cluster.Client.Get(w.Context(), client.ObjectKeyFromObject(a), a); err != nil {
		w.Fatal(err)
	}
	a.Spec.Plan.DeleteArchivedAfterDays = ptr.To(days)
	if err := w.cluster.Client.Update(w.Context(), a); err != nil {
		w.Fatal(err)
	}
}

// storeFiles creates a file of each object of a unit that stores files, and returns their keys.
func (w *world) storeFiles(objects []client.Object) (keys []string) {
	w.Helper()
	for _, o := range objects {
		switch o := o.(type) {
		case *v1beta1.Slideshow:
			keys = append(keys, slides.Prefix(o)+"r1/slide-1.png")
		case *v1beta1.RenderJob:
			keys = append(keys, runner.FilmPrefix(o)+"film.mp4")
		case *v1beta1.MediaAsset:
			keys = append(keys, runner.MediaPrefix(o)+"file.png")
		}
	}
	for _, key := range keys {
		if err := w.files.Put(w.Context(), key, "image/png", strings.NewReader("x")); err != nil {
			w.Fatal(err)
		}
	}
	return keys
}

// filesAt returns those of the keys that have a file.
func (w *world) filesAt(keys []string) []string {
	all := testkit.Keys(w.T, w.files)
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(all, key) })
}

// expiring archives the shorts 7 and 8 with their files, a day apart, and advances the clock so that only the retention
// of 7 has ended.
func expiring(t *testing.T, namespace string) (w *world, files, others []string) {
	t.Helper()
	w = newWorld(t, namespace)
	files = w.storeFiles(w.create(settledUnit(namespace, 7)))
	w.settle()
	w.clock.Step(24 * time.Hour)
	others = w.storeFiles(w.create(settledUnit(namespace, 8)))
	w.settle()
	w.retain(10)
	w.clock.Step(10*24*time.Hour - 12*time.Hour)
	w.rec.Writes = nil
	return w, files, others
}

func expired(s v1beta1.ArchiveSegment) bool { return len(s.Expired) > 0 }

// wantExpired fails the test unless short 7 is deleted with its files, and short 8 is archived.
func (w *world) wantExpired(files, others []string) {
	w.Helper()
	if w.archived(7) || !w.archived(8) {
		w.Errorf("7 is archived: %v, 8 is archived: %v", w.archived(7), w.archived(8))
	}
	st := w.archive().Status
	if st.Shorts != 1 || slices.ContainsFunc(st.Segments, expired) {
		w.Errorf("got %+v", st)
	}
	if left := w.filesAt(files); len(left) > 0 {
		w.Errorf("files are left: %v", left)
	}
	if kept := w.filesAt(others); len(kept) != len(others) {
		w.Errorf("only %v are left of %v", kept, others)
	}
}

// TestExpire_Crash ends the process at each write of an expiry, once before and once after it is applied. At no point a
// file is missing of a short that the archive holds.
func TestExpire_Crash(t *testing.T) {
	run := func(w *world, files []string) {
		w.Helper()
		for range 10 {
			wrote, err := w.pass()
			if w.archived(7) && len(w.filesAt(files)) != len(files) {
				w.Error("a file of an archived short is deleted")
			}
			if errors.Is(err, testkit.ErrFault) {
				w.start()
				continue
			}
			if err != nil {
				w.Fatal(err)
			}
			if !wrote {
				return
			}
		}
		w.Fatal("the expiry does not end")
	}
	calm, files, others := expiring(t, "expire-calm")
	run(calm, files)
	calm.wantExpired(files, others)
	// The last write replaces the segment, of which no row is left.
	want := []string{"patch Archive/status", "patch Archive/status", "patch Archive/status"}
	if !slices.Equal(calm.rec.Writes, want) {
		t.Fatalf("got the writes %v", calm.rec.Writes)
	}
	if st := calm.archive().Status; len(st.Segments) != 1 || st.Posts != 2 {
		t.Errorf("after the compaction: %+v", st)
	}
	for _, cell := range testkit.Cells(calm.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			w, files, others := expiring(t, "expire-"+cell.Tag)
			w.rec.FailAt, w.rec.Fault = cell.At, cell.Fault
			run(w, files)
			w.wantExpired(files, others)
		})
	}
}

// undeletable is a store in which files below a prefix cannot be deleted.
type undeletable struct {
	*blob.Store
	prefix string
}

func (u *undeletable) DeletePrefix(ctx context.Context, prefix string) error {
	if prefix == u.prefix {
		return testkit.ErrFault
	}
	return u.Store.DeletePrefix(ctx, prefix)
}

// TestExpire_FileIsNotDeleted retries until all files are deleted. Reads do not show the short meanwhile, and the pass
// continues with others.
func TestExpire_FileIsNotDeleted(t *testing.T) {
	w, files, others := expiring(t, "expire-undeletable")
	w.r.Files = &undeletable{w.files, strings.TrimSuffix(files[2], "film.mp4")}
	archived := w.storeFiles(w.create(settledUnit(w.namespace, 9)))
	for range 20 {
		if _, err := w.pass(); err != nil && !errors.Is(err, testkit.ErrFault) {
			t.Fatal(err)
		}
	}
	all := w.archive().Status.Segments
	seg := all[slices.IndexFunc(all, expired)]
	if !slices.Equal(seg.Expired, []int64{7}) || w.archive().Status.Shorts != 2 {
		t.Fatalf("got %+v", w.archive().Status)
	}
	if w.archived(7) || !w.archived(9) || len(w.filesAt(archived)) != len(archived) {
		t.Errorf("7 is archived: %v, 9 is archived: %v", w.archived(7), w.archived(9))
	}
	w.request(7)
	if _, err := w.pass(); err != nil && !errors.Is(err, testkit.ErrFault) {
		t.Fatal(err)
	}
	if len(w.archive().Spec.Restore) > 0 || w.find(settledUnit(w.namespace, 7).short) != nil {
		t.Error("an expired short is restored")
	}
	w.r.Files = w.files
	w.archiveAfter(never)
	w.settle()
	if left := w.filesAt(files); len(left) > 0 || w.archive().Status.Shorts != 2 || len(w.filesAt(others)) != len(others) {
		t.Errorf("left %v, got %+v", left, w.archive().Status)
	}
}

// TestExpire_KeepsWhatIsNeeded keeps units and files that the cluster needs.
func TestExpire_KeepsWhatIsNeeded(t *testing.T) {
	t.Run("a batch needs the short", func(t *testing.T) {
		w, files, others := expiring(t, "expire-batch")
		b := settledUnit(w.namespace, 7).batches[0]
		b.Name, b.UID, b.Status = "batch-manifest", "", v1beta1.PostBatchStatus{}
		if err := w.cluster.Client.Create(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		w.archiveAfter(never)
		w.settle()
		if !w.archived(7) || len(w.filesAt(files)) != len(files) {
			t.Errorf("got %+v", w.archive().Status)
		}
		b.Finalizers = nil
		if err := errors.Join(w.cluster.Client.Update(t.Context(), b), w.cluster.Client.Delete(t.Context(), b)); err != nil {
			t.Fatal(err)
		}
		w.settle()
		w.wantExpired(files, others)
	})
	t.Run("an open post has a file as cover", func(t *testing.T) {
		w, files, _ := expiring(t, "expire-cover")
		p := settledUnit(w.namespace, 9).posts[0]
		p.UID, p.OwnerReferences = "", nil
		p.Spec.Media.Cover = &v1beta1.PostMediaCover{ImageKey: files[1]}
		p.Status = v1beta1.PostStatus{}
		if err := w.cluster.Client.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		w.settle()
		if w.archived(7) || !slices.Equal(w.filesAt(files), files[1:2]) {
			t.Errorf("the files %v are left, got %+v", w.filesAt(files), w.archive().Status)
		}
	})
	t.Run("an object was restored from a backup", func(t *testing.T) {
		w, files, others := expiring(t, "expire-backup")
		a := w.archive()
		row := a.Status.Segments[slices.IndexFunc(a.Status.Segments, func(s v1beta1.ArchiveSegment) bool {
			keys, err := w.store.ShortKeys(t.Context(), w.namespace, &s)
			return err == nil && keys[0].ID == 7
		})]
		shorts, _, err := w.store.Read(t.Context(), w.namespace, &row)
		if err != nil {
			t.Fatal(err)
		}
		units, err := decode(shorts, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.rec.OnFault = func() { w.fromBackup(units[0].kept[0]) } // after the short was listed as expired
		w.rec.FailAt, w.rec.Fault = 1, testkit.Unanswered
		if _, err := w.pass(); !errors.Is(err, testkit.ErrFault) {
			t.Fatalf("got %v", err)
		}
		w.archiveAfter(never)
		w.settle()
		if w.archived(7) || !slices.Equal(w.filesAt(files), files[:1]) || len(w.filesAt(others)) != len(others) {
			t.Errorf("the files %v are left, got %+v", w.filesAt(files), w.archive().Status)
		}
	})
	t.Run("a restore is requested while it expires", func(t *testing.T) {
		w, files, others := expiring(t, "expire-requested")
		w.rec.OnFault = func() { w.request(7) }
		w.rec.FailAt, w.rec.Fault = 1, testkit.Lost
		if _, err := w.pass(); !errors.Is(err, testkit.ErrFault) {
			t.Fatalf("got %v", err)
		}
		w.archiveAfter(never)
		w.settle()
		if w.find(settledUnit(w.namespace, 7).short) == nil || w.archived(7) {
			t.Error("the short was not restored")
		}
		if len(w.filesAt(files)) != len(files) || len(w.filesAt(others)) != len(others) {
			t.Errorf("files were deleted: %v, %v", w.filesAt(files), w.filesAt(others))
		}
	})
	t.Run("its retention has not ended", func(t *testing.T) {
		w, files, _ := expiring(t, "expire-never")
		w.retain(11)
		w.settle()
		if !w.archived(7) || len(w.filesAt(files)) != len(files) {
			t.Errorf("got %+v", w.archive().Status)
		}
	})
}

// TestExpire_WithoutArchiving deletes what was archived before archiving was switched off, at most maxExpired at once.
func TestExpire_WithoutArchiving(t *testing.T) {
	w := newWorld(t, "expire-only")
	for id := range int64(maxExpired + 2) {
		w.create(settledUnit(w.namespace, id+1))
	}
	w.settle()
	w.retain(1)
	w.archiveAfter(0)
	w.clock.Step(25 * time.Hour)
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if st := w.archive().Status; st.Shorts != 2 || len(st.Segments[0].Removed) != maxExpired {
		t.Fatalf("after one pass: %+v", st)
	}
	w.settle()
	st := w.archive().Status
	if st.Shorts != 0 || st.Posts != 0 || len(st.Segments) > 0 || w.last.RequeueAfter != maxInterval {
		t.Errorf("got %+v, the next pass is after %v", st, w.last.RequeueAfter)
	}
}
