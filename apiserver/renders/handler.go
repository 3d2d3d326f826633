// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/renderwork"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/work/callback"
)

// Handler takes reports.
type Handler struct {
	Signer *callback.Signer
	// Live reads and Client writes the cluster itself: whether an attempt is over must not be answered from a cache.
	Live   client.Reader
	Client client.StatusClient
	Clock  clock.PassiveClock
	Log    *slog.Logger
	pace   pace
}

// errStale says that the attempt is over, so the report is of no use.
var errStale = errors.New("this attempt of the render is over")

// Routes of the internal listener.
func (h *Handler) Routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST "+callback.Path+"{namespace}/{name}/{kind}", h.serve)
	return m
}

// timeLimit bounds the work for one report.
const timeLimit = 15 * time.Second

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), timeLimit)
	defer cancel()
	kind, attempt, err := h.Signer.Check(r, h.Clock.Now())
	if err != nil {
		counted("none", "forbidden")
		answer(w, http.StatusForbidden, "invalid_signature", err.Error())
		return
	}
	doc, err := io.ReadAll(http.MaxBytesReader(w, r.Body, renderwork.MaxReportBytes))
	if err != nil {
		counted(kind, "unreadable")
		answer(w, http.StatusBadRequest, "unreadable", "The report is too large or ended before it was whole.")
		return
	}
	switch kind {
	case callback.Progress:
		var p *renderwork.Progress
		if p, err = renderwork.ParseProgress(doc); err == nil {
			err = h.progress(ctx, attempt, p)
		} else {
			counted(kind, "unreadable")
			answer(w, http.StatusBadRequest, "unreadable", err.Error())
			return
		}
	case callback.Outcome:
		var o *renderwork.Outcome
		if o, err = renderwork.ParseOutcome(doc); err == nil {
			err = h.outcome(ctx, attempt, o)
		} else {
			counted(kind, "unreadable")
			answer(w, http.StatusBadRequest, "unreadable", err.Error())
			return
		}
	default:
		answer(w, http.StatusNotFound, "unknown", "There is no such kind of report.")
		return
	}
	log := h.Log.With("account", attempt.Namespace, "render", attempt.Name, "attempt", attempt.Number, "report", string(kind))
	switch {
	case err == nil:
		if kind == callback.Outcome {
			log.Info("render reported its outcome")
		}
		counted(kind, "taken")
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errStale):
		log.Info("report of an attempt that is over")
		counted(kind, "stale")
		answer(w, http.StatusConflict, "stale", "This attempt of the render is over.")
	default:
		// Whatever it is, the renderer may try again: an outcome must not be lost because the cluster is away.
		log.Error("report could not be written", "error", err.Error())
		counted(kind, "unavailable")
		w.Header().Set("Retry-After", "2")
		answer(w, http.StatusServiceUnavailable, "unavailable", "The report cannot be written now; try again.")
	}
}

func counted(kind callback.Kind, result string) {
	metric.RenderReports.WithLabelValues(string(kind), result).Inc()
}

// progress writes how far an attempt is, at most once a second for each render. What comes between is dropped: the next
// report says more.
func (h *Handler) progress(ctx context.Context, a callback.Attempt, p *renderwork.Progress) error {
	if !h.pace.allow(types.UID(a.UID), h.Clock.Now()) {
		return nil
	}
	job, err := h.current(ctx, a)
	if err != nil {
		return err
	}
	if job.Status.Work.State.Settled() || (job.Status.Report != nil && job.Status.Report.Attempt >= a.Number) {
		h.pace.forget(job.UID)
		return errStale
	}
	// The uid makes the patch fail on an object made anew under the same name. There is no resourceVersion: the
	// controller writes other fields at the same time, and a late progress does no harm, it carries its attempt.
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": job.UID},
		"status": map[string]any{"progress": v1beta1.RenderProgress{
			Attempt: a.Number, Percent: int32(p.Percent), Frame: int64(p.Frame), FPS: int32(min(p.FPS, 1e6) + 0.5),
		}},
	})
	if err != nil {
		return err
	}
	err = h.Client.Status().Patch(ctx, job, client.RawPatch(types.MergePatchType, patch))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return errStale
	}
	return err
}

// outcome writes how an attempt ended. It is a fact, so a conflict with another writer is tried again, and the same
// report twice is written once.
func (h *Handler) outcome(ctx context.Context, a callback.Attempt, o *renderwork.Outcome) error {
	report := reportOf(a.Number, o)
	err := retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
		job, err := h.current(ctx, a)
		if err != nil {
			return err
		}
		if r := job.Status.Report; r != nil && r.Attempt == a.Number {
			return nil
		}
		if job.Status.Work.State.Settled() {
			return errStale
		}
		before := job.DeepCopy()
		job.Status.Report = report
		return h.Client.Status().Patch(ctx, job, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
	if err == nil || errors.Is(err, errStale) {
		h.pace.forget(types.UID(a.UID))
	}
	return err
}

// current reads the render if the attempt is its current one; otherwise the report is stale.
func (h *Handler) current(ctx context.Context, a callback.Attempt) (*v1beta1.RenderJob, error) {
	job := &v1beta1.RenderJob{}
	err := h.Live.Get(ctx, client.ObjectKey{Namespace: a.Namespace, Name: a.Name}, job)
	if apierrors.IsNotFound(err) {
		return nil, errStale
	}
	if err != nil {
		return nil, err
	}
	if string(job.UID) != a.UID || job.Status.Work == nil || job.Status.Work.Attempt != a.Number {
		return nil, errStale
	}
	return job, nil
}

// reportOf keeps an outcome as a status holds it. The blob's key is not in it: the controller chose it and knows it.
func reportOf(attempt int32, o *renderwork.Outcome) *v1beta1.RenderReport {
	return &v1beta1.RenderReport{
		Attempt: attempt, Unconfined: o.Unconfined, Output: renders.Output(o.Result), Error: renders.Failure(o.Error),
	}
}

func answer(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "message": message}) // the renderer may be gone
}
