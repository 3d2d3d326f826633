// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
)

// Client returns a client that records its changes. It does not record reads, statuses and other subresources.
func (l *Log) Client(c client.Client) client.Client { return &recorder{Client: c, log: l} }

// roleBinding is the only recorded kind of another API group.
const roleBinding = "RoleBinding"

type recorder struct {
	client.Client
	log *Log
}

// Create creates an object and records it.
func (r *recorder) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	err := r.Client.Create(ctx, o, opts...)
	r.record(ctx, create, o, err, func() (brief, brief) { return difference(nil, o) })
	return err
}

// Update updates an object and records its new state. The previous state is unknown here; use a Guarded patch to record
// it.
func (r *recorder) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	err := r.Client.Update(ctx, o, opts...)
	r.record(ctx, update, o, err, func() (brief, brief) { return difference(nil, o) })
	return err
}

// Patch patches an object and records the change. A Guarded patch also records the previous state.
func (r *recorder) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	// Compute the difference first, because the response overwrites the object. Few patches fail with a conflict, so
	// this work is rarely wasted.
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

// record writes a change that succeeded, or whose outcome is unknown. It does not write refused changes.
func (r *recorder) record(ctx context.Context, verb string, o client.Object, err error, fields func() (was, is brief)) {
	kind := r.audited(o)
	if kind == "" || err != nil && !problem.Away(err) {
		return
	}
	c := &change{verb: verb, outcome: Changed, kind: kind, object: o}
	if err != nil {
		c.outcome = Unknown
	}
	c.was, c.is = fields()
	r.log.write(ctx, c)
}

// audited returns the kind of an object whose changes are recorded. It returns an empty string for internal objects
// such as idempotency records, and for objects of other API groups except role bindings.
func (r *recorder) audited(o client.Object) string {
	if _, ok := o.(*rbacv1.RoleBinding); ok {
		return roleBinding
	}
	gvk, err := apiutil.GVKForObject(o, r.Scheme())
	if err != nil || gvk.Group != v1beta1.GroupVersion.Group || gvk.Kind == "IdempotencyRecord" {
		return ""
	}
	return gvk.Kind
}
