// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/kube/lease"
)

const (
	// LeaseName is the Lease that decides which manager works.
	LeaseName = lease.Manager
	// forEver is how long it is held: until somebody lets it go, however this process ends. In seconds; ten years.
	forEver = 10 * 365 * 24 * 60 * 60
	// Unheard is how long a manager that was replaced may work on without knowing it, when it cannot reach the cluster, and then some
	// time to write down what it had begun.
	Unheard = lease.MaxUnheard + 5*time.Second
)

// Hold takes the managers' Lease, so that none works, and returns when the one that did has ended: wait after it was replaced. Managers without
// leader election do not ask for the Lease: whether there is one, nobody can tell. It may be called again by the same holder: what is left
// of the wait is waited then, should the first call have died in it.
func (i *Installation) Hold(ctx context.Context, holder string, wait time.Duration) error {
	for {
		replaced, err := i.take(ctx, holder)
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue // a sign of life came between
		}
		if err != nil {
			return fmt.Errorf("stopping the managers: %w", err)
		}
		left := replaced.Add(wait).Sub(i.Clock.Now())
		if replaced.IsZero() || left <= 0 {
			return nil
		}
		i.say("the manager that worked was replaced; waiting %s for it to end", left.Round(time.Second))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-i.Clock.After(left):
			return nil
		}
	}
}

// take writes the Lease, and says when a manager was replaced by that, now or by an earlier run; zero when none was.
func (i *Installation) take(ctx context.Context, holder string) (replaced time.Time, err error) {
	now := metav1.NewMicroTime(i.Clock.Now())
	l := &coordinationv1.Lease{}
	err = i.Client.Get(ctx, client.ObjectKey{Namespace: i.SystemNamespace, Name: LeaseName}, l)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return replaced, err
	}
	switch {
	case held(l): // by this run, by an earlier one, or for good
		replaced = ptr.Deref(l.Spec.AcquireTime, metav1.MicroTime{}).Time
	case ptr.Deref(l.Spec.HolderIdentity, "") != "":
		replaced = now.Time
	}
	l.Namespace, l.Name = i.SystemNamespace, LeaseName
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = &holder, ptr.To[int32](forEver)
	l.Spec.AcquireTime, l.Spec.RenewTime = nil, &now
	if !replaced.IsZero() {
		l.Spec.AcquireTime = ptr.To(metav1.NewMicroTime(replaced))
	}
	if missing {
		return replaced, i.Client.Create(ctx, l)
	}
	return replaced, i.Client.Update(ctx, l)
}

// held says that a Lease is not a manager's.
func held(l *coordinationv1.Lease) bool { return ptr.Deref(l.Spec.LeaseDurationSeconds, 0) == forEver }

// Free lets the managers work again.
func (i *Installation) Free(ctx context.Context) error {
	l := &coordinationv1.Lease{}
	err := i.Client.Get(ctx, client.ObjectKey{Namespace: i.SystemNamespace, Name: LeaseName}, l)
	if err == nil && held(l) {
		l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
		err = i.Client.Update(ctx, l)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("letting the managers work again: %w", err)
	}
	return nil
}
