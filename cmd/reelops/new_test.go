// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNew_PrintsValidManifests validates manifests with few and with all flags, as users do. A test of
// internal/install/admission compares the rules with those of an API server.
func TestNew_PrintsValidManifests(t *testing.T) {
	c := newCluster(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "tips.txt")
	must(t, os.WriteFile(file, []byte("Three tips for tidy desks.\n"), 0o600))
	texts := []string{"--aspect-ratio", "9:16", "--language", "en", "--title", "Tidy", "--caption", "Tidy desks", "--music", "morning-light"}
	for name, args := range map[string][]string{
		"a short slideshow":  {"slideshow", "short", "--context", "Three tips for tidy desks"},
		"a whole slideshow":  append([]string{"slideshow", "whole", "--context-file", file, "--slides", "5", "--style", "bold_center", "--render"}, texts...),
		"a short video":      {"video", "short", "--avatar", "avatar-kitchen"},
		"a whole video":      append([]string{"video", "whole", "--avatar", "avatar-kitchen", "--hook", "Two clicks.", "--clip", "one", "--clip", "two"}, texts...),
		"a batch":            {"batch", "platforms", "--short", "tidy", "--at", "2026-12-01T18:00:00+01:00", "--platforms", "tiktok,instagram"},
		"a batch of account": {"batch", "accounts", "--short", "tidy", "--at", "2026-12-01T18:00:00Z", "--to", "tiktok-1a2b3c4d", "--title", "Tidy", "--caption", "Desks"},
	} {
		out, _, err := c.run(append([]string{"new"}, append(args, "--account", "demo", "--brand", "tea")...)...)
		must(t, err)
		for _, want := range []string{"apiVersion: reelops.dev/v1beta1\n", "\n  namespace: demo\n", "  brandRef:\n    name: tea\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, out)
			}
		}
		if strings.Contains(out, "status") || strings.Contains(out, "null") || strings.Contains(out, "{}") {
			t.Errorf("%s has empty fields:\n%s", name, out)
		}
		written := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".yaml")
		must(t, os.WriteFile(written, []byte(out), 0o600))
		if got := c.do("validate", "-f", written); got["valid"] != 1.0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if out, _, err := c.run("new", "batch", "x", "--account", "demo", "--short", "tidy", "--at", "2026-12-01T18:00:00+01:00", "--platforms", "tiktok"); err != nil ||
		!strings.Contains(out, `scheduledAt: "2026-12-01T17:00:00Z"`) || !strings.Contains(out, "    name: demo\n") {
		t.Errorf("got %v:\n%s", err, out)
	}
}

func TestNew_Refuses(t *testing.T) {
	c := newCluster(t)
	for want, args := range map[string]string{
		"give the text":       "slideshow x",
		"not both":            "slideshow x --context a --context-file b",
		"no such file":        "slideshow x --context-file none.txt",
		"aspectRatio":         "slideshow x --context tips --aspect-ratio 3:2",
		"metadata.name":       "slideshow UPPER --context tips",
		"accepts 1 arg":       "slideshow --context tips",
		"\"avatar\" not set":  "video x",
		"is not a time":       "batch x --short y --at tomorrow --platforms tiktok",
		"--platforms or --to": "batch x --short y --at 2026-12-01T18:00:00Z",
		"spec.platforms[0]":   "batch x --short y --at 2026-12-01T18:00:00Z --platforms myspace",
	} {
		c.refuse(want, append([]string{"new", "--account", "demo"}, strings.Fields(args)...)...)
	}
}
