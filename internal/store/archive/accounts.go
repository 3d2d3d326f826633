// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reelops/reelops/internal/store/blob"
)

// SweepAccounts deletes the files of namespaces for which exists returns false. It returns the number of namespaces. A
// failure for one of them does not keep it from the others.
func (s *Store) SweepAccounts(
	ctx context.Context, exists func(namespace string) (bool, error),
) (deleted int, err error) {
	known, failed := map[string]bool{}, error(nil)
	err = s.blobs.Walk(ctx, Root, func(o blob.Object) error {
		namespace, _, ok := strings.Cut(strings.TrimPrefix(o.Key, Root), "/")
		if !ok || known[namespace] {
			return ctx.Err()
		}
		known[namespace] = true
		there, err := exists(namespace)
		if err == nil && !there {
			deleted++
			err = s.DeleteAll(ctx, namespace)
		}
		if err != nil {
			failed = fmt.Errorf("sweeping the archive of %s: %w", namespace, err)
		}
		return ctx.Err()
	})
	return deleted, errors.Join(failed, err)
}
