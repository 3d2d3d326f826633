// SPDX-License-Identifier: Apache-2.0

package mediajob

import (
	"bytes"
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/naming"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/mediawork"
	"github.com/reelops/reelops/internal/work/renderpod"
)

// OrderValid is how long an attempt's addresses work: as long as it may wait and run, and a little for clocks.
const OrderValid = catalog.QueueDeadline + catalog.MediaDeadline + 5*time.Minute

// Runner makes and follows Jobs.
type Runner struct {
	Client client.Client
	Clock  clock.PassiveClock
	Store  *blob.Store
	Pod    renderpod.Options
	Slots  *Slots
}

// Name of the Job of an attempt.
func Name(owner client.Object, attempt int32) string {
	return naming.Child(owner.GetName(), string(owner.GetUID()), fmt.Sprintf("m%d", attempt))
}

// Prefix of everything that is stored for an owner.
func Prefix(owner client.Object) string {
	return fmt.Sprintf("media/%s/%s/", owner.GetNamespace(), v1beta1.Origin(owner))
}

func orderKey(owner client.Object, attempt int32) string {
	return fmt.Sprintf("%sorder-%d.json", Prefix(owner), attempt)
}

// Seen is what there is of an attempt.
type Seen struct {
	// Job is nil when there is none (yet, or any more).
	Job *batchv1.Job
	// Foreign says that the Job's name is taken by an object of somebody else.
	Foreign bool
	// Pod of the Job; nil before there is one.
	Pod *corev1.Pod
	// Said is the outcome in the pod's termination message; nil when there is none that can be read.
	Said *mediawork.Outcome
}

// Look reads what there is of an attempt.
func (r *Runner) Look(ctx context.Context, owner client.Object, attempt int32) (*Seen, error) {
	s := &Seen{}
	job := &batchv1.Job{}
	switch err := r.Client.Get(ctx, client.ObjectKey{Namespace: owner.GetNamespace(), Name: Name(owner, attempt)}, job); {
	case apierrors.IsNotFound(err):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("reading the job: %w", err)
	case !metav1.IsControlledBy(job, owner):
		s.Foreign = true
		return s, nil
	}
	s.Job = job
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err != nil {
		return nil, fmt.Errorf("listing the pods: %w", err)
	}
	if s.Pod = renderpod.Of(job, pods.Items); s.Pod != nil {
		if t := renderpod.Terminated(s.Pod); t != nil && t.Message != "" {
			s.Said, _ = mediawork.ParseOutcome([]byte(t.Message)) // what cannot be read was not said
		}
	}
	return s, nil
}

// Launch makes an attempt's order, Secret and Job, whichever of them are missing, after the attempt before was ended. It
// completes the order: version, name, deadline, memory and threads are the Job's.
func (r *Runner) Launch(ctx context.Context, owner client.Object, attempt int32, o *mediawork.Order) error {
	if attempt > 1 {
		if err := r.end(ctx, owner, attempt-1); err != nil {
			return err
		}
	}
	w := renderpod.Work{
		Namespace: owner.GetNamespace(), Name: Name(owner, attempt), Labels: map[string]string{v1beta1.LabelMedia: string(owner.GetUID())},
		MemoryBytes: r.Pod.Memory.Value(), Queue: catalog.QueueDeadline, Run: catalog.MediaDeadline,
	}
	o.Version, o.ID, o.RequireConfinement = mediawork.Version, w.Name, r.Pod.RequireConfinement
	o.Limits.Deadline, o.Limits.MemoryBytes, o.Limits.Threads = r.Clock.Now().Add(OrderValid), w.MemoryBytes, r.Pod.Threads()
	doc, err := o.Encode()
	if err != nil {
		return fmt.Errorf("writing the order: %w", err)
	}
	key := orderKey(owner, attempt)
	if err := r.Store.Put(ctx, key, "application/json", bytes.NewReader(doc)); err != nil {
		return err
	}
	url, err := r.Store.SignedGet(ctx, key, OrderValid)
	if err != nil {
		return err
	}
	secret, err := w.Secret(url, r.Pod)
	if err != nil {
		return err
	}
	if err := r.create(ctx, owner, secret, notCached); err != nil {
		return fmt.Errorf("making the attempt's Secret: %w", err)
	}
	if err := r.create(ctx, owner, w.Job(r.Pod)); err != nil {
		return fmt.Errorf("making the attempt's Job: %w", err)
	}
	return nil
}

// notCached marks writes of Secrets. The client would otherwise watch every Secret of the cluster to wait for its own.
const notCached = client.DisableReadYourWritesConsistency

func (r *Runner) create(ctx context.Context, owner, o client.Object, opts ...client.CreateOption) error {
	if err := controllerutil.SetControllerReference(owner, o, r.Client.Scheme()); err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(r.Client.Create(ctx, o, opts...))
}

// end stops the Job of an attempt that may still run, and removes its Secret. A finished Job stays to be looked at.
func (r *Runner) end(ctx context.Context, owner client.Object, attempt int32) error {
	s, err := r.Look(ctx, owner, attempt)
	if err != nil {
		return err
	}
	if err := r.stop(ctx, s.Job); err != nil {
		return err
	}
	return r.dropSecret(ctx, owner.GetNamespace(), Name(owner, attempt))
}

func (r *Runner) stop(ctx context.Context, job *batchv1.Job) error {
	if job == nil || !job.DeletionTimestamp.IsZero() {
		return nil
	}
	if _, over := renderpod.Ended(job); over {
		return nil
	}
	return client.IgnoreNotFound(r.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

func (r *Runner) dropSecret(ctx context.Context, namespace, name string) error {
	return client.IgnoreNotFound(r.Client.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, notCached))
}

// Tidy removes what only the work needed: the last attempt's Job if it still runs, its Secret, and every order. It removes
// nothing that the verdict follows from.
func (r *Runner) Tidy(ctx context.Context, owner client.Object, attempt int32) error {
	if err := r.end(ctx, owner, attempt); err != nil {
		return err
	}
	for n := int32(1); n <= attempt; n++ {
		if err := r.Store.Delete(ctx, orderKey(owner, n)); err != nil {
			return err
		}
	}
	return nil
}

// Halt ends an attempt of an owner that is being deleted, and tells whether any pod of the owner still works: what it
// uploads after the cleaning would stay for ever.
func (r *Runner) Halt(ctx context.Context, owner client.Object, attempt int32) (working bool, err error) {
	s, err := r.Look(ctx, owner, attempt)
	if err != nil {
		return false, err
	}
	if err := r.stop(ctx, s.Job); err != nil {
		return false, err
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{v1beta1.LabelMedia: string(owner.GetUID())}); err != nil {
		return false, fmt.Errorf("listing the pods: %w", err)
	}
	for i := range pods.Items {
		working = working || !renderpod.Over(&pods.Items[i])
	}
	return working, nil
}
