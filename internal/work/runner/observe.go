// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/pod"
)

// Observed is the observed state of an attempt.
type Observed struct {
	// Job is nil if it does not exist, or no longer exists.
	Job *batchv1.Job
	// Foreign reports whether an object that the owner does not control has the name of the Job.
	Foreign bool
	// Pod of the Job. It is nil until the pod exists.
	Pod *corev1.Pod
	// Outcome of the attempt. It is nil while the attempt runs, and if the attempt was lost.
	Outcome *outcome.Outcome
}

// Observe reads the state of an attempt. The outcome is read if the pod reported that it is stored, if the pod or the
// Job has ended, or if the Job does not exist. It is not read if the owner is being deleted.
func (r *Runner) Observe(ctx context.Context, a Attempt) (*Observed, error) {
	o := &Observed{}
	var err error
	if o.Job, o.Foreign, err = r.job(ctx, a); err != nil || o.Foreign {
		return o, err
	}
	if o.Job != nil {
		if o.Pod, err = r.pod(ctx, o.Job); err != nil {
			return nil, err
		}
		if _, over := pod.Ended(o.Job); !over && pod.Terminated(o.Pod) == nil && !a.complete {
			return o, nil
		}
	}
	if !a.Owner.GetDeletionTimestamp().IsZero() {
		return o, nil // a store that is not available must not keep the Job from being stopped
	}
	if o.Outcome, err = r.stored(ctx, a); err != nil {
		return nil, err
	}
	if o.Outcome == nil {
		o.Outcome = a.message(o.Pod)
	}
	return o, nil
}

// job returns the Job of an attempt; nil if it does not exist or is foreign.
func (r *Runner) job(ctx context.Context, a Attempt) (_ *batchv1.Job, foreign bool, _ error) {
	job := &batchv1.Job{}
	switch err := r.Client.Get(ctx, client.ObjectKey{Namespace: a.Owner.GetNamespace(), Name: a.Name()}, job); {
	case apierrors.IsNotFound(err):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("reading the job: %w", err)
	case !metav1.IsControlledBy(job, a.Owner):
		return nil, true, nil
	}
	return job, false, nil
}

// pod returns the pod of a Job; nil if it does not exist.
func (r *Runner) pod(ctx context.Context, job *batchv1.Job) (*corev1.Pod, error) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(job.Namespace),
		client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return nil, fmt.Errorf("listing the pods: %w", err)
	}
	return pod.Of(job, pods.Items), nil
}

// stored returns the outcome that the attempt's pod stored; nil if no valid one is stored. A malicious file may have
// taken over the pod, so an outcome counts as absent if it is too large, cannot be parsed, or names another order.
func (r *Runner) stored(ctx context.Context, a Attempt) (*outcome.Outcome, error) {
	body, size, err := r.Store.Open(ctx, a.OutcomeKey())
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the outcome: %w", err)
	}
	defer func() { _ = body.Close() }()
	if size > outcome.MaxBytes {
		return nil, nil
	}
	doc, err := io.ReadAll(io.LimitReader(body, outcome.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the outcome: %w", err)
	}
	out := a.parse(doc)
	if out == nil || out.Order != a.Name() {
		return nil, nil
	}
	return out, nil
}

// message returns the outcome in the termination message of the attempt's pod; nil if it has no valid one.
func (a Attempt) message(p *corev1.Pod) *outcome.Outcome {
	t := pod.Terminated(p)
	if t == nil || t.Message == "" {
		return nil
	}
	return a.parse([]byte(t.Message))
}

// parse returns an outcome of this attempt's kind of work. It returns nil for any other document.
func (a Attempt) parse(doc []byte) *outcome.Outcome {
	out, err := outcome.Parse(doc)
	if err != nil || out.State == outcome.Succeeded && (out.Film != nil) != a.film {
		return nil
	}
	return out
}

// Unconfined returns the parts of the confinement that the attempt's node did not have. It adds them to the metric of
// unconfined work of the kind.
func (o *Observed) Unconfined(kind string) []string {
	if o.Outcome == nil {
		return nil
	}
	for _, part := range o.Outcome.Unconfined {
		metric.Unconfined.WithLabelValues(kind, part).Inc()
	}
	return o.Outcome.Unconfined
}

// WorkError returns a reported failure in the form of a status; nil for no failure.
func WorkError(f *outcome.Failure) *v1beta1.WorkError {
	if f == nil {
		return nil
	}
	e := &v1beta1.WorkError{Code: string(f.Code), Message: f.Message, Retryable: f.Retryable}
	for key, value := range map[string]string{"reason": string(f.Reason), "field": f.Field} {
		if value == "" {
			continue
		}
		if e.Details == nil {
			e.Details = map[string]string{}
		}
		e.Details[key] = value
	}
	return e
}
