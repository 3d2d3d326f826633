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

// prefix returns the key prefix of an account's documents.
func prefix(a *v1beta1.AccountAnalytics) string {
	return "analytics/" + a.Namespace + "/" + string(v1beta1.Origin(a)) + "/"
}

// keyOf returns the document key of the current refresh. Its number grows with each refresh.
func keyOf(a *v1beta1.AccountAnalytics) string {
	return prefix(a) + strconv.FormatInt(a.Status.RefreshStartedAt.UnixNano(), 10) + suffix
}

func numberOf(prefix, key string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(key, prefix), suffix), 10, 64)
	return n, err == nil
}

// read returns the document of the last refresh; nil if there is none. A lost or damaged document counts as none:
// everything but the history is read again. It returns analytics.ErrNewer for a document that a newer version wrote.
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
		ctrl.LoggerFrom(ctx).Error(err, "reading analytics document failed; starting a new one", "key", a.Status.DocumentKey)
		return nil, nil
	}
	return nil, err
}

// write streams the encoded document to the store.
func (r *Reconciler) write(ctx context.Context, key string, d *analytics.Document) error {
	out, in := io.Pipe()
	go func() { _ = in.CloseWithError(d.Encode(in)) }()
	err := r.Store.Put(ctx, key, contentType, out)
	_ = out.CloseWithError(io.ErrClosedPipe) // ends the encoder if the store stopped reading
	return err
}

// sweep deletes the documents of earlier refreshes. It keeps those of later ones: another process may have taken over
// since this one wrote the status.
func (r *Reconciler) sweep(ctx context.Context, a *v1beta1.AccountAnalytics, key, before string) {
	dir := prefix(a)
	mine, _ := numberOf(dir, key)
	err := r.Store.Walk(ctx, dir, func(o blob.Object) error {
		if n, ok := numberOf(dir, o.Key); o.Key == key || ok && n > mine && o.Key != before {
			return nil
		}
		return r.Store.Delete(ctx, o.Key)
	})
	if err != nil { // the next refresh repeats it
		ctrl.LoggerFrom(ctx).Error(err, "deleting older analytics documents failed", "prefix", dir)
	}
}
