// SPDX-License-Identifier: Apache-2.0

package logfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func read(t *testing.T, name string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Read(name, o, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	now := t0
	w, err := Create(name, func() time.Time { now = now.Add(time.Second); return now })
	if err != nil {
		t.Fatal(err)
	}
	w.Copy("stdout", strings.NewReader("one\ntwo words\n"))
	w.Copy("stderr", strings.NewReader("no newline at the end"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"all", Options{Tail: -1}, "one\ntwo words\nno newline at the end\n"},
		{"none", Options{Tail: 0}, ""},
		{"the last two lines", Options{Tail: 2}, "two words\nno newline at the end\n"},
		{"since", Options{Tail: -1, Since: t0.Add(3 * time.Second)}, "no newline at the end\n"},
		{"limited", Options{Tail: -1, LimitBytes: 5}, "one\nt"},
		{"with times", Options{Tail: 1, Timestamps: true}, "2026-01-02T03:04:08Z no newline at the end\n"},
	} {
		if got := read(t, name, c.o); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := read(t, name+"x", Options{Tail: -1}); got != "" {
		t.Errorf("a missing file: got %q", got)
	}
}

func TestRotation(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	w, err := Create(name, func() time.Time { return t0 })
	if err != nil {
		t.Fatal(err)
	}
	w.max = 200
	for range 100 {
		w.Copy("stdout", strings.NewReader(strings.Repeat("x", 50)+"\n"))
	}
	w.Copy("stdout", strings.NewReader("last\n"))
	for _, f := range []string{name, name + ".1"} {
		if fi, err := os.Stat(f); err != nil || fi.Size() > 200 {
			t.Errorf("%s: got %v, %v", f, fi, err)
		}
	}
	if got := read(t, name, Options{Tail: 1}); got != "last\n" {
		t.Errorf("got last line %q", got)
	}
}

func TestMore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	w, err := Create(name, func() time.Time { return t0 })
	if err != nil {
		t.Fatal(err)
	}
	w.Copy("stdout", strings.NewReader("one\n"))
	var b bytes.Buffer
	place, err := Read(name, Options{Tail: -1}, &b)
	if err != nil {
		t.Fatal(err)
	}
	add := func(text, want string) {
		t.Helper()
		b.Reset()
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if place, err = More(name, Options{}, place, &b); err != nil || b.String() != want {
			t.Errorf("after %q: got %q (%v), want %q", text, b.String(), err, want)
		}
	}
	add("", "")
	add("T stdout two\nT stdout ha", "two\n")
	add("lf\n", "half\n")
}
