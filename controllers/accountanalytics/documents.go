// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	suffix      = ".jsonl"
	contentType = "application/x-ndjson"
)

// prefix is where an account's documents lie.
func prefix(a *v1beta1.AccountAnalytics) string {
	return "analytics/" + a.Namespace + "/" + string(v1beta1.Origin(a)) + "/"
}

// keyOf is where the refresh that has begun puts its document. Its number grows from one refresh to the next.
func keyOf(a *v1beta1.AccountAnalytics) string {
	return prefix(a) + strconv.FormatInt(a.Status.RefreshStartedAt.UnixNano(), 10) + suffix
}

func numberOf(prefix, key string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(key, prefix), suffix), 10, 64)
	return n, err == nil
}

// read is the document of the last refresh; nil where there is none. One that is lost or damaged is none: all is read anew, but for
// the history. One that a newer version wrote is analytics.ErrNewer.
func (r *Reconciler) read(ctx context.Context, a *v1beta1.AccountAnalytics) (*analytics.Document, error) {
	if a.Status.DocumentKey == "" {
		return nil, nil
	}
	in, err := r.Store.Get(ctx, a.Status.DocumentKey)
	if err == nil {
		defer func() { _ = in.Close() }()
		var d *analytics.Document
		if d, err = analytics.Decode(in); err == nil {
			return d, nil
		}
	}
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, analytics.ErrDamaged) {
		ctrl.LoggerFrom(ctx).Error(err, "the numbers of an account are read anew", "key", a.Status.DocumentKey)
		return nil, nil
	}
	return nil, err
}

// write stores a document as it is encoded: it is never whole in memory.
func (r *Reconciler) write(ctx context.Context, key string, d *analytics.Document) error {
	out, in := io.Pipe()
	go func() { _ = in.CloseWithError(d.Encode(in)) }()
	err := r.Store.Put(ctx, key, contentType, out)
	_ = out.CloseWithError(io.ErrClosedPipe) // a store that gave up reads no more, and the encoder ends
	return err
}

// sweep removes what refreshes before the one with the key left. One that began later, elsewhere, keeps its own: this process may have
// been replaced since it wrote the status.
func (r *Reconciler) sweep(ctx context.Context, a *v1beta1.AccountAnalytics, key, before string) {
	dir := prefix(a)
	mine, _ := numberOf(dir, key)
	err := r.Store.Walk(ctx, dir, func(o blob.Object) error {
		if n, ok := numberOf(dir, o.Key); o.Key == key || ok && n > mine && o.Key != before {
			return nil
		}
		return r.Store.Delete(ctx, o.Key)
	})
	if err != nil { // the next refresh does it
		ctrl.LoggerFrom(ctx).Error(err, "removing older numbers of an account", "prefix", dir)
	}
}
