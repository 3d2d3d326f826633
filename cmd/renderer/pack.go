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

// oldPack fetches what an earlier render has kept and gives its path; empty when there is nothing. It is a help, not an input:
// the film is the same without it, so it is asked for once.
func (r *run) oldPack(ctx context.Context, p *order.Pack, dir string) string {
	if p.URL == "" {
		return ""
	}
	path := filepath.Join(dir, "old-pack")
	if err := r.web.once().download(ctx, p.URL, render.MaxPackBytes, path, sha256.New()); err != nil {
		r.log.Info("no pack", "host", order.Redact(p.URL), "error", bare(err))
		return ""
	}
	return path
}

// keepPack stores what this render keeps, if there is anything.
func (r *run) keepPack(ctx context.Context, p *order.Pack, path string) {
	if path == "" {
		return
	}
	if _, err := os.Stat(path); err != nil { // it would have been too large
		return
	}
	if err := r.web.once().put(ctx, *p.Keep, path, "application/octet-stream"); err != nil {
		r.log.Info("pack not kept", "host", order.Redact(p.Keep.URL), "error", bare(err))
	}
}
