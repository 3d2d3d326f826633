// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

// reasonDeclared is the value of details.reason in a conflict with a manifest.
const reasonDeclared = "declared_elsewhere"

// undeclared returns a conflict error if another tool applies the slideshow from a manifest. The tool would revert an
// edit through the API, or fail with a conflict.
func undeclared(short *view.Short) error {
	owner := fieldowner.Declarer(short.Show.ManagedFields)
	if owner == "" {
		return nil
	}
	return problem.New(catalog.Conflict, problem.Details{"short_id": short.ID, "reason": reasonDeclared, "managed_by": owner}).
		Saying(fmt.Sprintf("The slideshow comes from a manifest that %q applies: change the manifest instead.", owner))
}
