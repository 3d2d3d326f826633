// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// Fault is the way in which a write fails.
type Fault string

// Faults.
const (
	// Lost writes never arrive.
	Lost Fault = "lost before"
	// Unanswered writes are applied, and the response is lost.
	Unanswered Fault = "applied, answer lost"
)

// Faults returns the faults that a test of each write tries, by a name that is valid in a namespace: all, or one with
// -short.
func Faults() map[string]Fault {
	if testing.Short() {
		return map[string]Fault{"unanswered": Unanswered}
	}
	return map[string]Fault{"lost": Lost, "unanswered": Unanswered}
}

// Cell is one cell of a fault matrix: one write that fails in one way.
type Cell struct {
	// Write is the failing write, as a Recorder records it, and At its number, counted from 1.
	Write string
	At    int
	Fault Fault
	// Tag is a suffix for the namespace of the cell.
	Tag string
}

// String returns the name of the cell's test.
func (c Cell) String() string { return fmt.Sprintf("%d %s %s", c.At, c.Write, c.Fault) }

// Cells returns the fault matrix of a scenario: each of its writes with each of the Faults, or with -short every tenth
// write and the last.
func Cells(writes []string) (out []Cell) {
	for i, write := range writes {
		if testing.Short() && i%10 != 0 && i != len(writes)-1 {
			continue
		}
		for tag, f := range Faults() {
			out = append(out, Cell{Write: write, At: i + 1, Fault: f, Tag: fmt.Sprintf("%d-%s", i+1, tag)})
		}
	}
	return out
}

// ErrFault is the error of a write that a Recorder failed.
var ErrFault = errors.New("the connection broke")

// Recorder is a client without a cache that records writes and fails one of them. A status that contradicts the
// generation that it claims to have observed is an error. Lists by field use index functions, as in a cache.
type Recorder struct {
	client.Client
	// Writes are in order, such as "create Secret" or "patch Slideshow/status", the failed one included.
	Writes []string
	// Names are the names of the objects written, in the same order.
	Names []string
	// FailAt is the number of the write that fails, counted from 1; 0 for none. Fault is the kind of failure. OnFault
	// is called then.
	FailAt  int
	Fault   Fault
	OnFault func()

	indexes map[string]client.IndexerFunc
}

// Recorder returns a new Recorder.
func (c *Cluster) Recorder(indexes map[string]client.IndexerFunc) (*Recorder, error) {
	live, err := c.watching()
	if err != nil {
		return nil, err
	}
	r := &Recorder{indexes: indexes}
	r.Client = interceptor.NewClient(live, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return r.write("create", "", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return r.write("update", "", o, func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return r.write("patch", "", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return r.write("delete", "", o, func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return r.write("patch", "/"+sub, o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return r.write("update", "/"+sub, o, func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
		List: r.list,
	})
	return r, nil
}

func (r *Recorder) write(verb, sub string, o client.Object, do func() error) error {
	gvk, err := r.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	r.Writes, r.Names = append(r.Writes, verb+" "+gvk.Kind+sub), append(r.Names, o.GetName())
	if len(r.Writes) != r.FailAt {
		if err := do(); err != nil || sub != "/status" {
			return err
		}
		if why := Contradiction(o); why != "" {
			return fmt.Errorf("the stored status of %s %s is not true: %s", gvk.Kind, o.GetName(), why)
		}
		return nil
	}
	if r.Fault == Unanswered {
		if err := do(); err != nil {
			return err
		}
	}
	if r.OnFault != nil {
		r.OnFault()
	}
	return ErrFault
}

func (r *Recorder) list(ctx context.Context, c client.WithWatch, into client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	fields := o.FieldSelector
	o.FieldSelector = nil
	if err := c.List(ctx, into, &o); err != nil || fields == nil {
		return err
	}
	items, err := meta.ExtractList(into)
	if err != nil {
		return err
	}
	for _, want := range fields.Requirements() {
		index := r.indexes[want.Field]
		if index == nil {
			return fmt.Errorf("there is no index %s", want.Field)
		}
		var kept []runtime.Object
		for _, i := range items {
			for _, v := range index(i.(client.Object)) {
				if v == want.Value {
					kept = append(kept, i)
					break
				}
			}
		}
		items = kept
	}
	return meta.SetList(into, items)
}
