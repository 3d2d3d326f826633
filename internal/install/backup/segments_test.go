// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

func archiveOf(segments ...v1beta1.ArchiveSegment) *v1beta1.Archive {
	a := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: v1beta1.ArchiveName, UID: oldUID}}
	a.Status.Segments = segments
	return a
}

func show(name string, uid types.UID) *v1beta1.Slideshow {
	return &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
		Namespace: "acme", Name: name, UID: uid, CreationTimestamp: metav1.NewTime(noon), Labels: map[string]string{v1beta1.LabelID: "7"},
	}}
}

// returned is a slideshow that returned from the archive at noon.
func returned(name string, uid types.UID) *v1beta1.Slideshow {
	s := show(name, uid)
	v1beta1.SetOrigin(s, oldUID, metav1.NewTime(noon.AddDate(0, -2, 0)))
	return s
}

// source returns an installation with a namespace and the objects. after is called when the lists of a kind were read.
func source(t *testing.T, after map[string]func(client.Client), objects ...client.Object) *Installation {
	t.Helper()
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(&v1beta1.Archive{}, &v1beta1.Slideshow{}).
		WithObjects(append(objects, testkit.Namespace("acme"), testkit.Namespace("reelops-system"))...).Build()
	return &Installation{
		SystemNamespace: "reelops-system", Clock: testclock.NewFakeClock(noon),
		Client: interceptor.NewClient(c, interceptor.Funcs{
			List: func(ctx context.Context, w client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				err := w.List(ctx, l, opts...)
				kind := strings.TrimSuffix(l.GetObjectKind().GroupVersionKind().Kind, "List")
				if f := after[kind]; err == nil && f != nil {
					delete(after, kind)
					f(w)
				}
				return err
			},
		}),
	}
}

// taken is the content of a backup.
type taken struct {
	objects map[string][]*unstructured.Unstructured
	files   []string
	doc     []byte
}

func (b *taken) names(kind string) (out []string) {
	for _, u := range b.objects[kind] {
		out = append(out, u.GetName())
	}
	return out
}

func take(t *testing.T, i *Installation) *taken {
	t.Helper()
	var doc bytes.Buffer
	if _, _, err := i.Take(t.Context(), &doc, false); err != nil {
		t.Fatal(err)
	}
	out := &taken{objects: map[string][]*unstructured.Unstructured{}, doc: doc.Bytes()}
	_, _, err := read(bytes.NewReader(out.doc), func(kind string, doc []byte) error {
		some, err := unlines(doc)
		out.objects[kind] = append(out.objects[kind], some...)
		return err
	}, func(key string, _ int64, _ io.Reader) error {
		out.files = append(out.files, key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out.files)
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTake_ShortsReturnMeanwhile restores a short from the archive after the slideshows were read, and one before.
func TestTake_ShortsReturnMeanwhile(t *testing.T) {
	i := source(t, map[string]func(client.Client){"Account": func(c client.Client) {
		must(t, c.Create(t.Context(), returned("late", newUID)))
		must(t, c.Create(t.Context(), show("new", "b35a9d33-7d1c-4b62-9d0e-5a3f5ad0a0a1")))
		a := archiveOf()
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(a), a))
		a.Status.Segments[0].Removed = []int64{7}
		must(t, c.Status().Update(t.Context(), a))
	}}, archiveOf(v1beta1.ArchiveSegment{Name: "2026-09/aaaaaaaa"}), returned("early", "0d9a5c3e-3c53-4d7a-8a39-0e6f1b9d2c11"))
	if d := cmp.Diff([]string{"early", "late"}, take(t, i).names("Slideshow")); d != "" {
		t.Error(d)
	}
}

// TestTake_SegmentIsMergedMeanwhile merges a segment with others after the Archive was read.
func TestTake_SegmentIsMergedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		merged bool
		want   string
		files  []string
		warns  bool
	}{
		"merged":  {true, "2026-09/bbbbbbbb", []string{"archive/acme/2026-09/bbbbbbbb/shorts.parquet", "shorts/acme/1.jpg"}, false},
		"missing": {false, "2026-09/aaaaaaaa", []string{"archive/acme/2026-09/bbbbbbbb/shorts.parquet", "shorts/acme/1.jpg"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32)})
			must(t, err)
			defer func() { _ = files.Close() }()
			for _, key := range []string{"archive/acme/2026-09/bbbbbbbb/shorts.parquet", "shorts/acme/1.jpg"} {
				must(t, files.Put(t.Context(), key, "application/octet-stream", strings.NewReader("x")))
			}
			i := source(t, nil, archiveOf(v1beta1.ArchiveSegment{Name: "2026-09/aaaaaaaa"}))
			lists := 0
			i.Client = interceptor.NewClient(i.Client.(client.WithWatch), interceptor.Funcs{
				List: func(ctx context.Context, w client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
					err := w.List(ctx, l, opts...)
					if l.GetObjectKind().GroupVersionKind().Kind == "ArchiveList" {
						if lists++; lists == 2 && c.merged { // the first one is at the start
							a := archiveOf()
							must(t, w.Get(ctx, client.ObjectKeyFromObject(a), a))
							a.Status.Segments[0].Name = "2026-09/bbbbbbbb"
							must(t, w.Status().Update(ctx, a))
						}
					}
					return err
				},
			})
			i.Files = files
			messages := ""
			i.Say = func(format string, args ...any) { messages += fmt.Sprintf(format, args...) + "\n" }
			got := take(t, i)
			segments, _, _ := unstructured.NestedSlice(got.objects["Archive"][0].Object, "status", "segments")
			if segment := segments[0].(map[string]any)["name"]; len(got.objects["Archive"]) != 1 || segment != c.want {
				t.Errorf("got %d Archives, the segment %v", len(got.objects["Archive"]), segment)
			}
			if d := cmp.Diff(c.files, got.files); d != "" {
				t.Error(d)
			}
			if strings.Contains(messages, "files of the segment 2026-09/aaaaaaaa of acme are missing") != c.warns {
				t.Errorf("got the messages %s", messages)
			}
		})
	}
}

// TestPut_Archive restores an Archive, and a short that was leaving for it.
func TestPut_Archive(t *testing.T) {
	segment := v1beta1.ArchiveSegment{Name: "2026-09/aaaaaaaa", Shorts: 2, Phase: v1beta1.ArchiveHiding, Removed: []int64{9}}
	a := archiveOf(segment)
	a.Spec.Restore = []int64{9}
	leaving := show("leaving", newUID)
	leaving.Labels[v1beta1.LabelArchived] = "7"
	doc := take(t, source(t, nil, a, leaving)).doc

	to := source(t, nil)
	n := 0
	to.Client = interceptor.NewClient(to.Client.(client.WithWatch), interceptor.Funcs{
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			n++
			o.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)))
			return w.Create(ctx, o, opts...)
		},
	})
	_, err := to.Put(t.Context(), Restore{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(doc)), nil }})
	must(t, err)
	got := archiveOf()
	must(t, to.Client.Get(t.Context(), client.ObjectKeyFromObject(got), got))
	if d := cmp.Diff([]v1beta1.ArchiveSegment{segment}, got.Status.Segments); d != "" {
		t.Error(d)
	}
	if !slices.Equal(got.Spec.Restore, []int64{9}) || got.Annotations[v1beta1.AnnotationCheckArchive] == "" || v1beta1.Origin(got) != oldUID {
		t.Errorf("got %v, %v", got.Spec, got.Annotations)
	}
	s := &v1beta1.Slideshow{}
	must(t, to.Client.Get(t.Context(), client.ObjectKeyFromObject(leaving), s))
	if d := cmp.Diff(map[string]string{v1beta1.LabelID: "7"}, s.Labels); d != "" {
		t.Errorf("the short is not visible: %s", d)
	}
}
