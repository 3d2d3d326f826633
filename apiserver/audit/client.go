// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
)

// Client is a client whose changes are written down. Reads, statuses and other subresources pass.
func (l *Log) Client(c client.Client) client.Client { return &recorder{Client: c, log: l} }

type recorder struct {
	client.Client
	log *Log
}

// Create an object.
func (r *recorder) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	err := r.Client.Create(ctx, o, opts...)
	r.record(ctx, create, o, err, func() (brief, brief) { return difference(nil, o) })
	return err
}

// Update an object. What it was before is not known here; see Guarded.
func (r *recorder) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	err := r.Client.Update(ctx, o, opts...)
	r.record(ctx, update, o, err, func() (brief, brief) { return difference(nil, o) })
	return err
}

// Patch an object. A Guarded patch tells what was before.
func (r *recorder) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	// The answer is written into the object: what was asked for is told before. Few changes lose against others.
	var was, is brief
	if r.audited(o) != "" {
		was, is = patched(o, p)
	}
	err := r.Client.Patch(ctx, o, p, opts...)
	if len(was)+len(is) > 0 {
		r.record(ctx, update, o, err, func() (brief, brief) { return was, is })
	}
	return err
}

// Delete an object.
func (r *recorder) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	err := r.Client.Delete(ctx, o, opts...)
	r.record(ctx, remove, o, err, func() (brief, brief) { return difference(o, nil) })
	return err
}

// record tells of a change when it was made, or when nobody knows. A refused one is none.
func (r *recorder) record(ctx context.Context, verb string, o client.Object, err error, tell func() (was, is brief)) {
	kind := r.audited(o)
	if kind == "" || err != nil && !problem.Away(err) {
		return
	}
	c := &change{verb: verb, outcome: Changed, kind: kind, object: o}
	if err != nil {
		c.outcome = Unknown
	}
	c.was, c.is = tell()
	r.log.write(ctx, c)
}

// audited is the kind of an object whose changes are told; empty for others: what the service keeps for itself.
func (r *recorder) audited(o client.Object) string {
	gvk, err := apiutil.GVKForObject(o, r.Scheme())
	if err != nil || gvk.Group != v1beta1.GroupVersion.Group || gvk.Kind == "IdempotencyRecord" {
		return ""
	}
	return gvk.Kind
}
