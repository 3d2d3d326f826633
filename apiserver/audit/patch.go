// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Guarded returns the merge patch that changes an object from the given state to its new one. The patch fails with a
// conflict if the object has changed since. Unlike other patches it keeps the previous state for the audit log.
func Guarded(before client.Object) client.Patch {
	return &guarded{Patch: client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), before: before}
}

type guarded struct {
	client.Patch
	before client.Object
}

// patched returns what a patch changes. For a patch that is not Guarded only the new values are known.
func patched(o client.Object, p client.Patch) (was, is brief) {
	if g, ok := p.(*guarded); ok {
		return difference(g.before, o)
	}
	doc, err := p.Data(o)
	if err != nil {
		return brief{}, brief{}
	}
	all := map[string]any{}
	if json.Unmarshal(doc, &all) != nil {
		return brief{}, brief{more: "a list of operations"}
	}
	d := &differ{was: brief{}, is: brief{}}
	d.compare("", "", nil, recordableOf(all))
	return d.was, d.is
}
