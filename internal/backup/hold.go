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

	"github.com/reelops/reelops/internal/lease"
)

const (
	// LeaseName is the Lease that decides which manager works.
	LeaseName = lease.Manager
	// forEver is how long it is held: until somebody lets it go, however this process ends. In seconds; ten years.
	forEver = 10 * 365 * 24 * 60 * 60
	// Unheard is how long a manager that was replaced may work on without knowing it, when it cannot reach the cluster, and then some
	// time to write down what it had begun.
	Unheard = 15*time.Second + 5*time.Second
)

// Hold takes the managers' Lease, so that none works, and returns when the one that did has ended: wait after it was replaced. Managers without
// leader election do not ask for the Lease: whether there is one, nobody can tell. It may be called again by the same holder.
func (i *Installation) Hold(ctx context.Context, holder string, wait time.Duration) error {
	for {
		worked, err := i.take(ctx, holder)
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue // a sign of life came between
		}
		if err != nil {
			return fmt.Errorf("stopping the managers: %w", err)
		}
		if worked == "" {
			return nil
		}
		i.say("the manager %s was replaced; waiting %s for it to end", worked, wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-i.Clock.After(wait):
			return nil
		}
	}
}

// take writes the Lease, and gives the manager that held it.
func (i *Installation) take(ctx context.Context, holder string) (worked string, err error) {
	now := metav1.NewMicroTime(i.Clock.Now())
	l := &coordinationv1.Lease{}
	err = i.Client.Get(ctx, client.ObjectKey{Namespace: i.SystemNamespace, Name: LeaseName}, l)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return "", err
	}
	worked = ptr.Deref(l.Spec.HolderIdentity, "")
	if held(l) {
		worked = "" // nobody works: it is held by this run, by an earlier one, or for good
	}
	l.Namespace, l.Name = i.SystemNamespace, LeaseName
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = &holder, ptr.To[int32](forEver)
	l.Spec.AcquireTime, l.Spec.RenewTime = &now, &now
	if missing {
		return "", i.Client.Create(ctx, l)
	}
	return worked, i.Client.Update(ctx, l)
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
