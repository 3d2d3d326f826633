// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/slideshow"
	"github.com/reelops/reelops/internal/store/blob"
)

// videoSource is the content of a stand-in video.
type videoSource struct {
	show     string
	uid      string
	revision int64
}

// films creates the stand-in videos. No two have the same bytes, so that the ledger of the sandbox names the revision
// that was sent.
type films struct {
	store *blob.Store
	base  []byte

	mu    sync.Mutex
	shows map[string]videoSource // by SHA-256
}

func newFilms(t *testing.T, store *blob.Store) *films {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4", "-f", "lavfi", "-i",
		"sine=frequency=330:duration=4:sample_rate=48000", "-shortest", "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-crf", "45",
		"-c:a", "aac", "-b:a", "32k", "-movflags", "+faststart", path).CombinedOutput()
	if err != nil {
		t.Fatalf("creating a video: %v: %s", err, out)
	}
	base, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &films{store: store, base: base, shows: map[string]videoSource{}}
}

// put stores the video of a source, and returns its description. A box of the type free at the end of the file makes
// its bytes unique.
func (f *films) put(ctx context.Context, key string, of videoSource) (*v1beta1.RenderOutput, error) {
	mark := fmt.Sprintf("%s %s %d", of.show, of.uid, of.revision)
	film := bytes.Clone(f.base)
	film = binary.BigEndian.AppendUint32(film, uint32(8+len(mark)))
	film = append(append(film, "free"...), mark...)
	sum := sha256.Sum256(film)
	if err := f.store.Put(ctx, key, "video/mp4", bytes.NewReader(film)); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shows[hex.EncodeToString(sum[:])] = of
	return &v1beta1.RenderOutput{
		Bytes: int64(len(film)), SHA256: hex.EncodeToString(sum[:]), DurationMilliseconds: 4000, Width: 540, Height: 960, Frames: 120,
	}, nil
}

// of returns the source of a video by its SHA-256; zero if unknown.
func (f *films) of(sum string) videoSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shows[sum]
}

// standIn reports the video of every render, as a worker pod does through the front end, and deletes RenderJobs
// without an owner, as the garbage collector does.
type standIn struct {
	kube   client.Client
	cached client.Client
	films  *films
}

func addStandIns(mgr ctrl.Manager, s *stage) error {
	r := &standIn{kube: s.kube, cached: mgr.GetClient(), films: s.films}
	return ctrl.NewControllerManagedBy(mgr).Named("stand-ins").
		For(&v1beta1.RenderJob{}).
		Owns(&batchv1.Job{}).
		Watches(&v1beta1.Slideshow{}, handler.EnqueueRequestsFromMapFunc(r.rendersOf)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

func (r *standIn) rendersOf(ctx context.Context, o client.Object) []ctrl.Request {
	var list v1beta1.RenderJobList
	if err := r.cached.List(ctx, &list, client.InNamespace(o.GetNamespace()), client.MatchingFields{slideshow.IndexRenderSource: o.GetName()}); err != nil {
		return nil
	}
	var out []ctrl.Request
	for i := range list.Items {
		out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}

// Reconcile reports one video, or deletes the RenderJob.
func (r *standIn) Reconcile(ctx context.Context, j *v1beta1.RenderJob) (ctrl.Result, error) {
	if !j.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	owned, err := r.owned(ctx, j)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !owned {
		return ctrl.Result{}, client.IgnoreNotFound(r.kube.Delete(ctx, j, client.Preconditions{UID: &j.UID}))
	}
	w := j.Status.Work
	if w == nil || w.State.Settled() || j.Status.JobName == "" || j.Status.Report != nil && j.Status.Report.Attempt == w.Attempt {
		return ctrl.Result{}, nil
	}
	if err := r.cached.Get(ctx, client.ObjectKey{Namespace: j.Namespace, Name: j.Status.JobName}, &batchv1.Job{}); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // the event of the Job triggers another reconcile
	}
	key := fmt.Sprintf("renders/%s/%s/a%d/film.mp4", j.Namespace, j.UID, w.Attempt)
	owner := metav1.GetControllerOf(j)
	out, err := r.films.put(ctx, key, videoSource{show: j.Namespace + "/" + owner.Name, uid: string(owner.UID), revision: j.Status.Revision})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := j.DeepCopy()
	j.Status.Report = &v1beta1.RenderReport{Attempt: w.Attempt, Output: out}
	return ctrl.Result{}, client.IgnoreNotFound(r.kube.Status().Patch(ctx, j, client.MergeFrom(before)))
}

// owned reports whether the owner of a RenderJob exists.
func (r *standIn) owned(ctx context.Context, j *v1beta1.RenderJob) (bool, error) {
	owner := metav1.GetControllerOf(j)
	if owner == nil {
		return true, nil
	}
	show := &v1beta1.Slideshow{}
	err := r.kube.Get(ctx, client.ObjectKey{Namespace: j.Namespace, Name: owner.Name}, show)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return show.UID == owner.UID, err
}
