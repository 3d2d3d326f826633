// SPDX-License-Identifier: Apache-2.0

// Package fieldowner names the field managers of Reelops, and reports which other field manager declares an object, and
// which ones wrote its spec.
package fieldowner

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Field managers under which Reelops writes to the cluster.
const (
	// Frontend writes what REST and MCP callers request.
	Frontend = "reelops-frontend"
	// Manager writes labels, finalizers and statuses.
	Manager = "reelops-manager"
)

// former maps the field managers of releases before 1.0 to the present ones. Those were the names of the programs.
var former = map[string]string{"apiserver": Frontend, "manager": Manager}

// updaters are the field managers of tools that apply manifests again and again but write them as updates, so that
// managedFields does not mark them as appliers: kubectl and Argo CD without server-side apply, and Helm.
var updaters = []string{
	"kubectl-client-side-apply", "argocd-controller", "argocd-application-controller", "helm", "helm-controller",
}

// Declarer returns the field manager that declares fields of the spec of an object, and an empty string if there is
// none. The owner of such an object applies its manifest again, which undoes or rejects every other change of the spec.
//
// Server-side appliers declare what they own. Of the managers that update, only the known tools do: a user who ran
// `kubectl edit` once does not write the object again.
func Declarer(entries []metav1.ManagedFieldsEntry) string {
	for i := range entries {
		e := &entries[i]
		applied := e.Operation == metav1.ManagedFieldsOperationApply || slices.Contains(updaters, e.Manager)
		if e.Subresource != "" || !applied || ours(e.Manager) {
			continue
		}
		// Fields that cannot be read count as fields of the spec: refusing an edit loses nothing.
		if owns, err := ownsSpec(e); err != nil || owns {
			return e.Manager
		}
	}
	return ""
}

// spec is the path of the spec.
var spec = fieldpath.MakePathOrDie("spec")

// ownsSpec reports whether an entry has fields of the spec.
func ownsSpec(e *metav1.ManagedFieldsEntry) (bool, error) {
	set, err := fieldsOf(e)
	if err != nil {
		return false, err
	}
	return set.Has(spec) || !set.WithPrefix(spec[0]).Empty(), nil
}

// ours reports whether a field manager is one of Reelops, of this release or of an older one.
func ours(manager string) bool {
	return manager == Frontend || manager == Manager || former[manager] != ""
}

// Writer is a field manager that owns fields of the spec of an object.
type Writer struct {
	// Manager is the name of the field manager. The front end of a former release has its present name.
	Manager string
	// At is the time of its last write.
	At time.Time
}

// Writers returns the field managers that own fields of the spec of an object, the one with the earliest write first. A
// manager whose fields were all taken over by others is not listed.
func Writers(entries []metav1.ManagedFieldsEntry) []Writer {
	var out []Writer
	for i := range entries {
		e := &entries[i]
		if e.Subresource != "" || e.Time == nil {
			continue
		}
		if owns, err := ownsSpec(e); err != nil || !owns {
			continue
		}
		w := Writer{Manager: cmp.Or(former[e.Manager], e.Manager), At: e.Time.Time}
		at := slices.IndexFunc(out, func(o Writer) bool { return o.Manager == w.Manager })
		switch {
		case at < 0:
			out = append(out, w)
		case w.At.After(out[at].At):
			out[at] = w
		}
	}
	slices.SortStableFunc(out, func(a, b Writer) int { return a.At.Compare(b.At) })
	return out
}
