// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// state is an object at rest with its verdict, as hack/health reads it.
type state struct {
	Verdict verdict        `json:"verdict"`
	History uint64         `json:"history"`
	Object  map[string]any `json:"object"`

	object client.Object
}

// states collects the distinct states of all histories.
type states struct {
	mu   sync.Mutex
	seen map[string]state
}

// add stores the states that differ from earlier ones in their kind, verdict or conditions, and returns them.
func (s *states) add(found []state) (added []state) {
	for _, f := range found {
		u := bareState(f.object)
		key := keyOf(u, f.Verdict)
		f.Object = u.Object
		s.mu.Lock()
		if _, ok := s.seen[key]; !ok {
			s.seen[key] = f
			added = append(added, f)
		}
		s.mu.Unlock()
	}
	return added
}

// keyOf returns the same key for states that health checks cannot distinguish.
func keyOf(u *unstructured.Unstructured, v verdict) string {
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	var parts []string
	for _, c := range conditions {
		c := c.(map[string]any)
		parts = append(parts, fmt.Sprint(c["type"], c["status"], c["reason"]))
	}
	slices.Sort(parts)
	return fmt.Sprint(u.GetKind(), v, observed == u.GetGeneration(), parts)
}

// bareState returns what a health check reads of an object.
func bareState(o client.Object) *unstructured.Unstructured {
	full, err := bare(o)
	if err != nil {
		panic(err) // every object of the scheme converts
	}
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(full.GroupVersionKind())
	u.SetNamespace(o.GetNamespace())
	u.SetName(o.GetName())
	u.SetGeneration(o.GetGeneration())
	for _, name := range []string{"observedGeneration", "conditions"} {
		if v, ok, _ := unstructured.NestedFieldCopy(doc, "status", name); ok {
			_ = unstructured.SetNestedField(u.Object, v, "status", name) // the status is a map or absent
		}
	}
	return u
}

// write saves the states as JSON lines, in a fixed order.
func (s *states) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	keys := make([]string, 0, len(s.seen))
	for k := range s.seen {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	lines := json.NewEncoder(f)
	for _, k := range keys {
		if err := lines.Encode(s.seen[k]); err != nil {
			return err
		}
	}
	return f.Close()
}
