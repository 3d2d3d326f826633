// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/film/render"
	"github.com/reelops/reelops/internal/work/order"
)

// oldPack downloads the segment cache of an earlier render and returns its path; empty if there is none. The video is
// the same without the cache, so there is no retry.
func (r *run) oldPack(ctx context.Context, p *order.Pack, dir string) string {
	if p.URL == "" {
		return ""
	}
	path := filepath.Join(dir, "old-pack")
	if err := r.web.once().download(ctx, p.URL, render.MaxPackBytes, path, sha256.New()); err != nil {
		r.log.Info("loading segment cache failed", "host", order.Redact(p.URL), "error", bare(err))
		return ""
	}
	return path
}

// keepPack stores the segment cache of this render, if it has one. The file may be missing.
func (r *run) keepPack(ctx context.Context, p *order.Pack, path string) {
	if path == "" {
		return
	}
	if _, err := os.Stat(path); err != nil { // it would have been too large
		return
	}
	if err := r.web.once().put(ctx, *p.Keep, path, "application/octet-stream"); err != nil {
		r.log.Info("storing segment cache failed", "host", order.Redact(p.Keep.URL), "error", bare(err))
	}
}
