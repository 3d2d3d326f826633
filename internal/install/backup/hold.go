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
	// LeaseName is the Lease that elects the active manager.
	LeaseName = lease.Manager
	// forEver is the lease duration in seconds (ten years). The Lease stays held until Free releases it, even if this
	// process ends.
	forEver = 10 * 365 * 24 * 60 * 60
	// Unheard is the longest time that a replaced manager can keep working when it cannot reach the cluster, plus 5
	// seconds to record the work in progress.
	Unheard = lease.MaxUnheard + 5*time.Second
)

// Hold acquires the managers' Lease, which stops them. If a manager held it, Hold returns when wait has passed since
// that manager was replaced. Hold cannot detect managers that run without leader election, because they do not use the
// Lease. Hold can be called again after a call that died while waiting; it then waits for the remaining time.
func (i *Installation) Hold(ctx context.Context, holder string, wait time.Duration) error {
	for {
		replaced, err := i.take(ctx, holder)
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue // the manager renewed the Lease in between
		}
		if err != nil {
			return fmt.Errorf("stopping the managers: %w", err)
		}
		left := replaced.Add(wait).Sub(i.Clock.Now())
		if replaced.IsZero() || left <= 0 {
			return nil
		}
		i.say("the leader was replaced; waiting %s for it to stop", left.Round(time.Second))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-i.Clock.After(left):
			return nil
		}
	}
}

// take writes the Lease. It returns the time at which this run or an earlier one replaced a manager, or zero if none
// was replaced.
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

// held reports whether a backup or restore holds the Lease, not a manager.
func held(l *coordinationv1.Lease) bool { return ptr.Deref(l.Spec.LeaseDurationSeconds, 0) == forEver }

// Free releases the Lease, so that the managers work again. It does nothing if Hold does not hold the Lease.
func (i *Installation) Free(ctx context.Context) error {
	l := &coordinationv1.Lease{}
	err := i.Client.Get(ctx, client.ObjectKey{Namespace: i.SystemNamespace, Name: LeaseName}, l)
	if err == nil && held(l) {
		l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = ptr.To(""), ptr.To[int32](1)
		err = i.Client.Update(ctx, l)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("restarting the managers: %w", err)
	}
	return nil
}
