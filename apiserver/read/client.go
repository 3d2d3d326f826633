// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrPartial refuses to write a trimmed object from the cache, because the missing fields would be lost.
var ErrPartial = errors.New("the cached object is partial; read the object from the cluster before writing it")

// Lists are notified of the writes of this process, so that they include them.
type Lists interface {
	Wrote(client.Object)
	Deleted(client.Object)
}

// Client returns a client that reports every write to the lists, so that later readers see it. It refuses to write
// trimmed objects.
func Client(c client.Client, lists ...Lists) client.Client { return &writer{Client: c, lists: lists} }

type writer struct {
	client.Client
	lists []Lists
}

// checked runs a write of an object that is not trimmed, and reports it to the lists.
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

// Create creates an object.
func (w *writer) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	return w.checked(o, func() error { return w.Client.Create(ctx, o, opts...) })
}

// Update updates an object.
func (w *writer) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	return w.checked(o, func() error { return w.Client.Update(ctx, o, opts...) })
}

// Patch patches an object.
func (w *writer) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	return w.checked(o, func() error { return w.Client.Patch(ctx, o, p, opts...) })
}

// Delete deletes an object, which may be trimmed.
func (w *writer) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	if err := w.Client.Delete(ctx, o, opts...); err != nil {
		return err
	}
	for _, l := range w.lists {
		l.Deleted(o)
	}
	return nil
}

// Status returns a writer of statuses.
func (w *writer) Status() client.SubResourceWriter {
	return &subresource{SubResourceWriter: w.Client.Status(), w: w}
}

// SubResource returns a client for a subresource.
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

// Update updates a subresource.
func (s *subresource) Update(ctx context.Context, o client.Object, opts ...client.SubResourceUpdateOption) error {
	return s.w.checked(o, func() error { return s.SubResourceWriter.Update(ctx, o, opts...) })
}

// Patch patches a subresource.
func (s *subresource) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.w.checked(o, func() error { return s.SubResourceWriter.Patch(ctx, o, p, opts...) })
}
