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

// Seen is what exists of an attempt.
type Seen struct {
	// Job is nil when it does not exist, or not any more.
	Job *batchv1.Job
	// Foreign reports whether the Job's name is taken by an object that the owner does not control.
	Foreign bool
	// Pod of the Job; nil before there is one.
	Pod *corev1.Pod
	// Said is the outcome of the attempt; nil while there is none.
	Said *outcome.Outcome
}

// Look reads what exists of an attempt. The outcome is read when the pod has reported that it is stored, when the pod
// or the Job has ended, and when the Job does not exist. It is not read if the owner is being deleted.
func (r *Runner) Look(ctx context.Context, a Attempt) (*Seen, error) {
	s := &Seen{}
	var err error
	if s.Job, s.Foreign, err = r.job(ctx, a); err != nil || s.Foreign {
		return s, err
	}
	if s.Job != nil {
		if s.Pod, err = r.pod(ctx, s.Job); err != nil {
			return nil, err
		}
		if _, over := pod.Ended(s.Job); !over && pod.Terminated(s.Pod) == nil && !a.complete {
			return s, nil
		}
	}
	if !a.Owner.GetDeletionTimestamp().IsZero() {
		return s, nil // a store that is not available must not keep the Job from being stopped
	}
	if s.Said, err = r.stored(ctx, a); err != nil {
		return nil, err
	}
	if s.Said == nil {
		s.Said = a.message(s.Pod)
	}
	return s, nil
}

// job reads the Job of an attempt; nil if it does not exist or is foreign.
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

// pod reads the pod of a Job; nil if there is none.
func (r *Runner) pod(ctx context.Context, job *batchv1.Job) (*corev1.Pod, error) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(job.Namespace),
		client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return nil, fmt.Errorf("listing the pods: %w", err)
	}
	return pod.Of(job, pods.Items), nil
}

// stored reads the outcome that the attempt's pod stored; nil if there is none that can be used. The pod may have
// been taken over by a file: an outcome that is too large, cannot be parsed, or is of another order counts as absent.
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
	o := a.parse(doc)
	if o == nil || o.Order != a.Name() {
		return nil, nil
	}
	return o, nil
}

// message reads the outcome in the termination message of the attempt's pod; nil if there is none that can be used.
func (a Attempt) message(p *corev1.Pod) *outcome.Outcome {
	t := pod.Terminated(p)
	if t == nil || t.Message == "" {
		return nil
	}
	return a.parse([]byte(t.Message))
}

// parse returns an outcome of this attempt's kind of work; nil for any other document.
func (a Attempt) parse(doc []byte) *outcome.Outcome {
	o, err := outcome.Parse(doc)
	if err != nil || o.State == outcome.Succeeded && (o.Film != nil) != a.film {
		return nil
	}
	return o
}

// Unconfined returns the parts of the confinement that the attempt's node did not have, and counts them as work of
// the kind. It is called when the attempt has ended.
func (s *Seen) Unconfined(kind string) []string {
	if s.Said == nil {
		return nil
	}
	for _, part := range s.Said.Unconfined {
		metric.Unconfined.WithLabelValues(kind, part).Inc()
	}
	return s.Said.Unconfined
}

// WorkError returns a reported failure as a status has it; nil for none.
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
