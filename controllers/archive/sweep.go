// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/periodic"
	"github.com/reelops/reelops/internal/social/photoset"
	"github.com/reelops/reelops/internal/store/pinned"
)

// sweepInterval is the time between two passes over the files of all archives.
const sweepInterval = time.Hour

// sweeper deletes files that no archive lists, and the files of deleted accounts.
type sweeper struct{ *Reconciler }

// NeedLeaderElection returns true: only the leader deletes files.
func (sweeper) NeedLeaderElection() bool { return true }

// Start passes over all archives now and every hour until the context ends.
func (s *sweeper) Start(ctx context.Context) error {
	periodic.Delete(ctx, s.Clock, sweepInterval, ctrl.Log.WithName("archive"), "files of archives", s.pass)
	return nil
}

// pass also shows hidden objects that no archive holds. It returns the number of deleted files and accounts. The cache
// can lack the newest segments of an archive, but Store.Sweep keeps recent files.
func (s *sweeper) pass(ctx context.Context) (deleted int, err error) {
	var all v1beta1.ArchiveList
	if err := s.Client.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return 0, fmt.Errorf("listing archives: %w", err)
	}
	var failed []error
	for i := range all.Items {
		n, err := s.Store.Sweep(ctx, all.Items[i].Namespace, all.Items[i].Status.Segments)
		deleted += n
		failed = append(failed, err)
	}
	_, err = s.showOrphans(ctx)
	failed = append(failed, err)
	n, err := s.Store.SweepAccounts(ctx, func(namespace string) (bool, error) { return s.keep(ctx, namespace) })
	return deleted + n, errors.Join(append(failed, err)...)
}

// keep reports whether the account of a namespace exists. If it does not, it deletes the files that archived objects
// own: these have no finalizers, so no other controller deletes them.
func (s *sweeper) keep(ctx context.Context, namespace string) (bool, error) {
	exists, err := s.exists(ctx, namespace)
	if exists || err != nil {
		return true, err
	}
	for _, prefix := range append(pinned.Folders(namespace), photoset.Root+namespace+"/") {
		if err := s.Files.DeletePrefix(ctx, prefix); err != nil {
			return true, fmt.Errorf("deleting the files of a deleted account: %w", err)
		}
	}
	return false, nil
}

// exists reports whether a namespace has an account or an object with files.
func (s *sweeper) exists(ctx context.Context, namespace string) (bool, error) {
	err := s.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, &v1beta1.Account{})
	if !apierrors.IsNotFound(err) {
		return true, err
	}
	for _, l := range []client.ObjectList{
		&v1beta1.SlideshowList{}, &v1beta1.VideoList{}, &v1beta1.RenderJobList{}, &v1beta1.MediaAssetList{},
		&v1beta1.PostList{},
	} {
		if err := s.Live.List(ctx, l, client.InNamespace(namespace), client.Limit(1)); err != nil || meta.LenList(l) > 0 {
			return true, err
		}
	}
	return false, nil
}
