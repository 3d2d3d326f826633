// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

// reasonDeclared is the value of details.reason in a conflict with a manifest.
const reasonDeclared = "declared_elsewhere"

// undeclaredBatch returns a conflict error if a tool applies the batch of a post from a manifest. The manifest, not the
// API, then decides about the post.
func undeclaredBatch(post int64, b *v1beta1.PostBatch) error {
	return undeclaredObject(b, "batch of the post", problem.Details{"post_id": post})
}

// undeclared returns a conflict error if another tool applies the slideshow from a manifest.
func undeclared(short *view.Short) error {
	return undeclaredObject(short.Show, "slideshow", problem.Details{"short_id": short.ID})
}

// undeclaredObject returns a conflict error if another tool applies an object from a manifest. The tool would revert a
// change through the API, create a deleted object again, or fail with a conflict. what names the kind in the message.
// o must be the whole object: cached objects have no field managers.
func undeclaredObject(o client.Object, what string, details problem.Details) error {
	owner := fieldowner.Declarer(o.GetManagedFields())
	if owner == "" {
		return nil
	}
	details["reason"], details["managed_by"] = reasonDeclared, owner
	return problem.New(catalog.Conflict, details).
		Saying(fmt.Sprintf("The %s comes from a manifest that %q applies: change the manifest instead.", what, owner))
}
