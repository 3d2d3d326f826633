// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/periodic"
)

// sweepInterval is the time between two passes over the outboxes.
const sweepInterval = time.Hour

// sweeper deletes old events, and the events of deleted accounts.
type sweeper struct{ *Reconciler }

// NeedLeaderElection returns true: only the leader writes to the outbox.
func (sweeper) NeedLeaderElection() bool { return true }

// Start passes over all outboxes until the context ends.
func (s *sweeper) Start(ctx context.Context) error {
	periodic.Delete(ctx, s.Clock, sweepInterval, ctrl.Log.WithName("outbox"), "segments of outboxes", s.pass)
	return nil
}

func (s *sweeper) pass(ctx context.Context) (deleted int, err error) {
	return s.Outbox.Sweep(ctx, func(namespace string) (bool, error) {
		err := s.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, &v1beta1.Account{})
		return !apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
