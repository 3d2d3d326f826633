// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// executor replaces the Job controller and the renderer. It reads a render's order from its signed URL, uploads a video
// to the signed URL in it, stores the outcome and ends the Job.
var executor = &renderer{held: map[string]bool{}, failing: map[string]bool{}, losing: map[string]bool{}}

type renderer struct {
	client client.Client
	// live bypasses the cache, which may have a Job before it has the Job's Secret.
	live client.Reader
	mu   sync.Mutex
	// held are namespaces whose renders wait, failing those whose renders fail, and losing those that lose one worker.
	held, failing, losing map[string]bool
}

// film is the output of every render in these specs. The service never reads its content.
var film = bytes.Repeat([]byte("not really a film. "), 50)

func (r *renderer) setup(mgr ctrl.Manager) error {
	r.client, r.live = mgr.GetClient(), mgr.GetAPIReader()
	return ctrl.NewControllerManagedBy(mgr).Named("executor").For(&batchv1.Job{}).Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// hold makes the renders of an account wait until release is called.
func (r *renderer) hold(namespace string) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[namespace] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.held, namespace)
	}
}

// fail makes the renders of an account fail.
func (r *renderer) fail(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing[namespace] = true
}

// mend ends the failures.
func (r *renderer) mend(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failing, namespace)
}

// lose makes the next worker of an account disappear without a report.
func (r *renderer) lose(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.losing[namespace] = true
}

func (r *renderer) lost(namespace string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer delete(r.losing, namespace)
	return r.losing[namespace]
}

func (r *renderer) mood(namespace string) (held, failing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[namespace], r.failing[namespace]
}

// Reconcile handles one Job.
func (r *renderer) Reconcile(ctx context.Context, job *batchv1.Job) (ctrl.Result, error) {
	held, failing := r.mood(job.Namespace)
	switch {
	case job.Labels[v1beta1.LabelMedia] != "": // Jobs that probe tracks and clips are not simulated here
		return ctrl.Result{}, nil
	case !job.DeletionTimestamp.IsZero() || job.Labels[v1beta1.LabelComponent] != "renderer" || len(job.Status.Conditions) > 0:
		return ctrl.Result{}, nil
	case held:
		return ctrl.Result{RequeueAfter: 20 * time.Millisecond}, nil
	}
	secret := &corev1.Secret{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(job), secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // the render has ended
	}
	before := job.DeepCopy()
	now := metav1.Now()
	job.Status.StartTime, job.Status.UncountedTerminatedPods = &now, &batchv1.UncountedTerminatedPods{}
	ends := []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete}
	if r.lost(job.Namespace) {
		ends = []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed}
		job.Status.Failed = 1
	} else {
		if err := r.render(ctx, string(secret.Data["order-url"]), failing); err != nil {
			return ctrl.Result{}, err
		}
		job.Status.CompletionTime, job.Status.Succeeded = &now, 1
	}
	for _, c := range ends {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: c, Status: corev1.ConditionTrue, Reason: "Played", LastTransitionTime: now})
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.client.Status().Patch(ctx, job, client.MergeFrom(before)))
}

func (r *renderer) render(ctx context.Context, orderURL string, failing bool) error {
	doc, err := exchange(ctx, http.MethodGet, orderURL, nil, nil)
	if err != nil {
		return err
	}
	o, err := order.Parse(doc)
	if err != nil {
		return err
	}
	out := &outcome.Outcome{Version: outcome.Version, Order: o.ID, State: outcome.Succeeded}
	if failing {
		out.State = outcome.Failed
		out.Error = &outcome.Failure{Code: outcome.ValidationFailed, Message: "The picture cannot be read."}
	} else {
		if _, err := exchange(ctx, http.MethodPut, o.Render.Video.URL, film, o.Render.Video.Headers); err != nil {
			return err
		}
		if poster := o.Render.Poster; poster != nil {
			if _, err := exchange(ctx, http.MethodPut, poster.URL, posterPicture(), poster.Headers); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(film)
		var t timeline.Timeline
		if err := json.Unmarshal(o.Render.Timeline, &t); err != nil {
			return err
		}
		frames := t.Frames()
		out.Film = &outcome.Film{
			Bytes: int64(len(film)), SHA256: hex.EncodeToString(sum[:]), DurationSeconds: float64(frames) / float64(t.FPS),
			Width: t.Canvas.Width, Height: t.Canvas.Height, Frames: frames, Encoded: frames, RenderSeconds: 1, Probe: "none",
			Poster: o.Render.Poster != nil,
		}
	}
	doc, err = out.Encode()
	if err != nil {
		return err
	}
	_, err = exchange(ctx, http.MethodPut, o.Outcome.URL, doc, o.Outcome.Headers)
	return err
}

// posterPicture returns the poster of every video in these specs.
func posterPicture() []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 1080, 1920)), nil); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return out.Bytes()
}

func exchange(ctx context.Context, method, address string, body []byte, headers map[string]string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s: %d %s", method, resp.StatusCode, doc)
	}
	return doc, nil
}
