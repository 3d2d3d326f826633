// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrPartial refuses to write an object that was read from the cache without all that it has: what is missing would be
// lost.
var ErrPartial = errors.New("the object comes from the cache, which does not hold all of it; read it from the cluster before it is written")

// Lists want to know what this process writes, so that they show it.
type Lists interface {
	Wrote(client.Object)
	Deleted(client.Object)
}

// Client returns a client that notes every write in the lists, so that the next reader finds it there, and refuses to write
// what the cache holds in part.
func Client(c client.Client, lists ...Lists) client.Client { return &writer{Client: c, lists: lists} }

type writer struct {
	client.Client
	lists []Lists
}

// checked makes a write of an object that is whole, and notes it.
func (w *writer) checked(o client.Object, write func() error) error {
	if Partial(o) {
		return ErrPartial
	}
	if err := write(); err != nil {
		return err
	}
	for _, l := range w.lists {
		l.Wrote(o)
	}
	return nil
}

// Create an object.
func (w *writer) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return w.checked(o, func() error { return w.Client.Create(ctx, o, opts...) })
}

// Update an object.
func (w *writer) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	return w.checked(o, func() error { return w.Client.Update(ctx, o, opts...) })
}

// Patch an object.
func (w *writer) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	return w.checked(o, func() error { return w.Client.Patch(ctx, o, p, opts...) })
}

// Delete an object. Of one that is to go a part is enough.
func (w *writer) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	if err := w.Client.Delete(ctx, o, opts...); err != nil {
		return err
	}
	for _, l := range w.lists {
		l.Deleted(o)
	}
	return nil
}

// Status writes the status of objects.
func (w *writer) Status() client.SubResourceWriter {
	return &subresource{SubResourceWriter: w.Client.Status(), w: w}
}

// SubResource reads and writes a subresource of objects.
func (w *writer) SubResource(name string) client.SubResourceClient {
	inner := w.Client.SubResource(name)
	return struct {
		client.SubResourceReader
		client.SubResourceWriter
	}{inner, &subresource{SubResourceWriter: inner, w: w}}
}

type subresource struct {
	client.SubResourceWriter
	w *writer
}

// Update a subresource.
func (s *subresource) Update(ctx context.Context, o client.Object, opts ...client.SubResourceUpdateOption) error {
	return s.w.checked(o, func() error { return s.SubResourceWriter.Update(ctx, o, opts...) })
}

// Patch a subresource.
func (s *subresource) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.w.checked(o, func() error { return s.SubResourceWriter.Patch(ctx, o, p, opts...) })
}
