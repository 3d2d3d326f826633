// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPortsAreKeptWhileFree(t *testing.T) {
	dir := t.TempDir()
	l, first, err := choosePorts(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The port is still in use, so another one is chosen.
	other, second, err := choosePorts(dir)
	if err != nil {
		t.Fatal(err)
	}
	if second.API == first.API {
		t.Errorf("port %d was given twice", first.API)
	}
	l.Close()
	other.Close()
	again, third, err := choosePorts(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if third != second {
		t.Errorf("ports are %+v after %+v", third, second)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(dir); err == nil || !strings.Contains(err.Error(), "in use by another localkube") {
		t.Errorf("a second lock: %v", err)
	}
	f.Close()
	if f, err = lock(dir); err != nil {
		t.Errorf("after the first is gone: %v", err)
	} else {
		f.Close()
	}
}

func TestIdentity(t *testing.T) {
	for _, bad := range []string{"", "x", "=f", "x=", "system:serviceaccount:ns=f", "system:serviceaccount:a:b:c=f"} {
		if _, err := ParseIdentity(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	id, err := ParseIdentity("system:serviceaccount:ns:me=/tmp/f")
	if err != nil || id.File != "/tmp/f" || !slices.Equal(id.groups(), []string{"system:serviceaccounts", "system:serviceaccounts:ns"}) {
		t.Errorf("%+v in %v (%v)", id, id.groups(), err)
	}
	if id, err := ParseIdentity("someone=f"); err != nil || id.groups() != nil {
		t.Errorf("%+v in %v (%v)", id, id.groups(), err)
	}
}

func TestReplaceFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "f")
	for _, text := range []string{"one", "two"} {
		if err := replaceFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(file)
		fi, _ := os.Stat(file)
		if err != nil || string(raw) != text || fi.Mode().Perm() != 0o600 {
			t.Errorf("got %q, %s (%v)", raw, fi.Mode(), err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
