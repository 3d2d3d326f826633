// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"
	"time"
)

func TestRelease_NeedsATimeOfTheArchive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tag, snapshot string
		ok            bool
	}{
		{"dev", "", true},
		{"next", "", true},
		{"vnext", "", true},
		{"dev", "20261122T000000Z", true},
		{"v1.2.0", "20261122T000000Z", true},
		{"v1.2.0", "", false},
		{"v1.2.0-rc.1", "", false},
		{"v1.2.0", "2026-11-22", false},
		{"dev", "../x", false},
	} {
		if err := checkRelease(c.tag, c.snapshot); (err == nil) != c.ok {
			t.Errorf("%s with %q: got %v", c.tag, c.snapshot, err)
		}
	}
	o := &options{cache: "cache", snapshot: "20261122T000000Z"}
	if a := debian(o, time.Now()); a.Snapshot != o.snapshot || a.Dir != filepath.Join("cache", "debian-20261122T000000Z") || !a.Since.IsZero() {
		t.Errorf("got %+v", a)
	}
	o.snapshot = ""
	if a := debian(o, time.Now()); a.Snapshot != "" || a.Dir != filepath.Join("cache", "debian") || a.Since.IsZero() {
		t.Errorf("got %+v", a)
	}
}
