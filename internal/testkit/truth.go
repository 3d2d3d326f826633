// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Contradiction returns how the status of an object contradicts itself or the generation that it claims to have
// observed; empty if it does not. It checks the common fields of all kinds, and spec.suspend and spec.hold of the kinds
// that have them.
func Contradiction(o client.Object) string {
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err.Error()
	}
	observed, found, _ := unstructured.NestedInt64(doc, "status", "observedGeneration")
	if !found {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(doc, "status", "conditions")
	ready, reason := "", ""
	for _, c := range conditions {
		c := c.(map[string]any)
		of, _, _ := unstructured.NestedInt64(c, "observedGeneration")
		if of < observed {
			return fmt.Sprintf("it observed generation %d, and %v is of generation %d", observed, c["type"], of)
		}
		if c["type"] == string(v1beta1.ConditionReady) {
			ready, reason = fmt.Sprint(c["status"]), fmt.Sprint(c["reason"])
		}
	}
	if observed > 0 && len(conditions) == 0 {
		return fmt.Sprintf("it observed generation %d without a condition", observed)
	}
	if observed != o.GetGeneration() {
		return ""
	}
	switch o := o.(type) {
	case *v1beta1.PostBatch:
		sending := slices.ContainsFunc(o.Status.Targets, func(t v1beta1.TargetStatus) bool {
			return t.State == v1beta1.PostScheduled && t.Post != ""
		})
		if o.Spec.Suspend && (sending || ready == "True" && o.Status.Open > 0) {
			return fmt.Sprintf("it is suspended in the observed generation, and Ready is %s, %s", ready, reason)
		}
	case *v1beta1.Post:
		if o.Spec.Hold && !o.InFlight() && !o.Status.State.Final() && o.Status.State != v1beta1.PostHeld {
			return fmt.Sprintf("it is held in the observed generation, and its state is %s", o.Status.State)
		}
	}
	return ""
}

// Truth watches all objects of all kinds in a cluster and records contradictions.
type Truth struct {
	mu    sync.Mutex
	found []string
	seen  int
}

// WatchTruth watches until the context ends.
func (c *Cluster) WatchTruth(ctx context.Context) (*Truth, error) {
	live, err := c.watching()
	if err != nil {
		return nil, err
	}
	t := &Truth{}
	for kind, typ := range Scheme().KnownTypes(v1beta1.GroupVersion) {
		list, ok := reflect.New(typ).Interface().(client.ObjectList)
		if !ok || typ.PkgPath() != reflect.TypeOf(v1beta1.Post{}).PkgPath() {
			continue
		}
		w, err := live.Watch(ctx, list)
		if err != nil {
			return nil, fmt.Errorf("watching %s: %w", kind, err)
		}
		go t.follow(ctx, w)
	}
	return t, nil
}

func (t *Truth) follow(ctx context.Context, w watch.Interface) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.ResultChan():
			if !ok {
				return
			}
			if o, is := e.Object.(client.Object); is && e.Type != watch.Deleted {
				t.judge(o)
			}
		}
	}
}

func (t *Truth) judge(o client.Object) {
	why := Contradiction(o)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen++
	if why != "" {
		t.found = append(t.found, fmt.Sprintf("%T %s/%s: %s", o, o.GetNamespace(), o.GetName(), why))
	}
}

// Found returns the contradictions so far, and the number of object versions that were checked.
func (t *Truth) Found() (found []string, seen int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.found), t.seen
}
