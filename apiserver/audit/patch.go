// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Guarded is the patch that turns an object as it was read into what it is to be, provided that nobody has changed it in between. It
// knows what was before, which patches do not tell.
func Guarded(before client.Object) client.Patch {
	return &guarded{Patch: client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), before: before}
}

type guarded struct {
	client.Patch
	before client.Object
}

// patched tells what a patch changes. Of one that is not Guarded only what becomes of it is known.
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
	d.compare("", "", nil, tellableOf(all))
	return d.was, d.is
}
