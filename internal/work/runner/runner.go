// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/pod"
)

// Runner creates, observes and stops the Jobs of attempts.
type Runner struct {
	Client client.Client
	Clock  clock.PassiveClock
	Store  *blob.Store
	Pod    pod.Options
	// Slots limit the Jobs of media work. They are nil for renders.
	Slots *Slots
}

// Target returns a signed URL at which a pod may write an object of the store while the URL is valid.
func Target(ctx context.Context, s *blob.Store, key, contentType string, valid time.Duration) (*order.Target, error) {
	url, headers, err := s.SignedPut(ctx, key, contentType, valid)
	if err != nil {
		return nil, err
	}
	return &order.Target{URL: url, Headers: headers}, nil
}

// LaunchMedia launches an attempt of media work.
func (r *Runner) LaunchMedia(ctx context.Context, a Attempt, o *order.Order) error {
	return r.Launch(ctx, a, pod.Work{
		Labels: map[string]string{v1beta1.LabelMedia: string(a.Owner.GetUID())}, MemoryBytes: r.Pod.Memory.Value(),
		Run: catalog.MediaDeadline,
	}, o)
}

// FinishMedia stops the last attempt of media work and removes what only the work needed.
func (r *Runner) FinishMedia(ctx context.Context, last Attempt) error {
	if err := r.Stop(ctx, last); err != nil {
		return err
	}
	return r.Tidy(ctx, last)
}

// Launch retires the previous attempt and creates those of the attempt's order, Secret and Job that are missing. It
// sets Namespace, Name and Queue of the Work. It sets Version, ID, Outcome, RequireConfinement, and the deadline,
// memory and threads of the order.
func (r *Runner) Launch(ctx context.Context, a Attempt, w pod.Work, o *order.Order) error {
	if err := r.retire(ctx, a.previous()); err != nil {
		return err
	}
	valid := Valid(w.Run)
	w.Namespace, w.Name, w.Queue = a.Owner.GetNamespace(), a.Name(), catalog.QueueDeadline
	o.Version, o.ID, o.RequireConfinement = order.Version, a.Name(), r.Pod.RequireConfinement
	o.Limits.Deadline, o.Limits.MemoryBytes, o.Limits.Threads = r.Clock.Now().Add(valid), w.MemoryBytes, r.Pod.Threads()
	target, err := Target(ctx, r.Store, a.OutcomeKey(), "application/json", valid)
	if err != nil {
		return err
	}
	o.Outcome = *target
	doc, err := o.Encode()
	if err != nil {
		return fmt.Errorf("writing the order: %w", err)
	}
	if err := r.Store.Put(ctx, a.OrderKey(), "application/json", bytes.NewReader(doc)); err != nil {
		return err
	}
	url, err := r.Store.SignedGet(ctx, a.OrderKey(), valid)
	if err != nil {
		return err
	}
	secret, err := w.Secret(url, r.Pod)
	if err != nil {
		return err
	}
	if err := r.create(ctx, a.Owner, secret, notCached); err != nil {
		return fmt.Errorf("creating the attempt's Secret: %w", err)
	}
	if err := r.create(ctx, a.Owner, w.Job(r.Pod)); err != nil {
		return fmt.Errorf("creating the attempt's Job: %w", err)
	}
	return nil
}

// notCached is set on writes of Secrets. Otherwise the client would watch every Secret of the cluster to find its own.
const notCached = client.DisableReadYourWritesConsistency

// create creates an object that the owner controls. An object that exists is left as it is.
func (r *Runner) create(ctx context.Context, owner, o client.Object, opts ...client.CreateOption) error {
	if err := controllerutil.SetControllerReference(owner, o, r.Client.Scheme()); err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, o, opts...))
}

// dropSecret removes the Secret of an attempt.
func (r *Runner) dropSecret(ctx context.Context, a Attempt) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: a.Owner.GetNamespace(), Name: a.Name()}}
	return client.IgnoreNotFound(r.Client.Delete(ctx, secret, notCached))
}

// retire stops an attempt that is followed by another one, and removes its Secret.
func (r *Runner) retire(ctx context.Context, a Attempt) error {
	if a.Number < 1 {
		return nil
	}
	if err := r.Stop(ctx, a); err != nil {
		return err
	}
	return r.dropSecret(ctx, a)
}

// Stop deletes the Job of an attempt if a pod of the Job may still run. A Job whose pod has ended is kept until its TTL
// expires, for the log of the pod. A Job whose pod is being deleted is not kept. A queue may have suspended the Job to
// make room, and the Job would start another pod when the queue admits it again.
func (r *Runner) Stop(ctx context.Context, a Attempt) error {
	job, _, err := r.job(ctx, a)
	if err != nil || job == nil || !job.DeletionTimestamp.IsZero() {
		return err
	}
	if _, over := pod.Ended(job); over {
		return nil
	}
	p, err := r.pod(ctx, job)
	if err != nil {
		return err
	}
	if pod.Terminated(p) != nil && p.DeletionTimestamp.IsZero() {
		return nil
	}
	return client.IgnoreNotFound(r.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// Tidy removes what only the work needed: the Secret of the last attempt, all orders, and the outcomes of the earlier
// attempts. It retires the attempt before the last, because the work may have ended before Launch retired that attempt.
// It keeps everything that decides the end of the work, so it may run before the status has the end.
func (r *Runner) Tidy(ctx context.Context, last Attempt) error {
	if err := r.retire(ctx, last.previous()); err != nil {
		return err
	}
	if err := r.dropSecret(ctx, last); err != nil {
		return err
	}
	for a := last; a.Number > 0; a = a.previous() {
		if err := r.Store.Delete(ctx, a.OrderKey()); err != nil {
			return err
		}
		if a.Number == last.Number {
			continue
		}
		if err := r.Store.Delete(ctx, a.OutcomeKey()); err != nil {
			return err
		}
	}
	return nil
}

// Running reports whether a pod with a label runs. A pod of an owner that is being deleted may upload files until it
// has ended.
func (r *Runner) Running(ctx context.Context, namespace string, label client.MatchingLabels) (bool, error) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(namespace), label); err != nil {
		return false, fmt.Errorf("listing the pods: %w", err)
	}
	return slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return !pod.Over(&p) }), nil
}

// HaltMedia stops an attempt of an owner of media work that is being deleted, and reports whether any pod of the
// owner still runs.
func (r *Runner) HaltMedia(ctx context.Context, a Attempt) (running bool, err error) {
	if err := r.Stop(ctx, a); err != nil {
		return false, err
	}
	return r.Running(ctx, a.Owner.GetNamespace(), client.MatchingLabels{v1beta1.LabelMedia: string(a.Owner.GetUID())})
}
