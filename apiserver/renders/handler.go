// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// Handler serves the reports of render pods.
type Handler struct {
	Signer *callback.Signer
	// Live reads from the API server. A cache could be too old to decide whether an attempt has ended.
	Live   client.Reader
	Client client.StatusClient
	// Store receives the outcomes of pods of the previous release.
	Store *blob.Store
	Clock clock.PassiveClock
	Log   *slog.Logger
	pace  pace
}

// errStale means that the attempt of a report has ended.
var errStale = errors.New("this attempt of the render has ended")

// Routes returns the routes of the internal listener.
func (h *Handler) Routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST "+callback.Path+"{namespace}/{name}/{kind}", h.serve)
	return m
}

// timeLimit is the longest time in which a report is handled.
const timeLimit = 15 * time.Second

// serve handles a report.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), timeLimit)
	defer cancel()
	kind, attempt, err := h.Signer.Check(r, h.Clock.Now())
	if err != nil {
		counted("none", "forbidden")
		answer(w, http.StatusForbidden, "invalid_signature", err.Error())
		return
	}
	doc, err := io.ReadAll(http.MaxBytesReader(w, r.Body, callback.MaxReportBytes))
	if err != nil {
		counted(kind, "unreadable")
		answer(w, http.StatusBadRequest, "unreadable", "The report is too large or incomplete.")
		return
	}
	var work func() error
	switch kind {
	case callback.KindProgress:
		var p *callback.Progress
		p, err = callback.ParseProgress(doc)
		work = func() error { return h.progress(ctx, attempt, p) }
	case callback.KindOutcome:
		var o *outcome.Outcome
		if o, err = outcome.Parse(doc); err == nil && o.Media != nil {
			err = errors.New("the outcome is not one of a render")
		}
		work = func() error { return h.outcome(ctx, attempt, o) }
	default:
		answer(w, http.StatusNotFound, "unknown", "There is no such kind of report.")
		return
	}
	if err != nil {
		counted(kind, "unreadable")
		answer(w, http.StatusBadRequest, "unreadable", err.Error())
		return
	}
	err = work()
	log := h.Log.With("account", attempt.Namespace, "render", attempt.Name, "attempt", attempt.Number, "report", string(kind))
	switch {
	case err == nil:
		counted(kind, "taken")
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errStale):
		log.Info("report of an ended attempt")
		counted(kind, "stale")
		answer(w, http.StatusConflict, "stale", "This attempt of the render has ended.")
	default:
		// The renderer may retry: an outcome must not be lost because the cluster or the store is not available.
		log.Error("writing report failed", "error", err.Error())
		counted(kind, "unavailable")
		w.Header().Set("Retry-After", "2")
		answer(w, http.StatusServiceUnavailable, "unavailable", "The report cannot be written now; retry.")
	}
}

// counted counts a report.
func counted(kind callback.Kind, result string) {
	metric.RenderReports.WithLabelValues(string(kind), result).Inc()
}

// progress writes the progress of an attempt, at most once a second. It drops reports in between. The report of
// completion has a rate limit of its own. No report is written after it.
func (h *Handler) progress(ctx context.Context, a callback.Attempt, p *callback.Progress) error {
	if !h.pace.allow(paced{a, p.Percent == callback.Complete}, h.Clock.Now()) {
		return nil
	}
	job, err := h.current(ctx, a)
	if err != nil {
		return err
	}
	if last := job.Status.Progress; last != nil && last.Attempt == a.Number && last.Percent == callback.Complete {
		return nil
	}
	// With the UID, the patch fails for another object of the same name. The patch has no resourceVersion, because the
	// controller writes other fields at the same time. A late report does no harm, because it has the number of its
	// attempt.
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

// outcome stores the outcome that a pod of the previous release reports. The controller reads and verifies it after the
// pod has ended, like the outcome of a pod of this release.
func (h *Handler) outcome(ctx context.Context, a callback.Attempt, o *outcome.Outcome) error {
	job, err := h.current(ctx, a)
	if err != nil {
		return err
	}
	attempt := runner.Film(job, a.Number)
	o.Order = attempt.Name()
	doc, err := o.Encode()
	if err != nil {
		return err
	}
	return h.Store.Put(ctx, attempt.OutcomeKey(), "application/json", bytes.NewReader(doc))
}

// current returns the RenderJob of an attempt. It returns errStale unless the attempt is the running one.
func (h *Handler) current(ctx context.Context, a callback.Attempt) (*v1beta1.RenderJob, error) {
	job := &v1beta1.RenderJob{}
	err := h.Live.Get(ctx, client.ObjectKey{Namespace: a.Namespace, Name: a.Name}, job)
	if apierrors.IsNotFound(err) {
		return nil, errStale
	}
	if err != nil {
		return nil, err
	}
	w := job.Status.Work
	if string(job.UID) != a.UID || w == nil || w.Attempt != a.Number || w.State.Settled() {
		return nil, errStale
	}
	return job, nil
}

// answer writes a JSON response.
func answer(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "message": message}) // the connection may be closed
}
