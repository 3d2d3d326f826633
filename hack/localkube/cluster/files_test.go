// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPorts_AreKeptWhileFree(t *testing.T) {
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
		t.Errorf("port %d was returned twice", first.API)
	}
	l.Close()
	other.Close()
	again, third, err := choosePorts(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if third != second {
		t.Errorf("got ports %+v after %+v", third, second)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(dir); err == nil || !strings.Contains(err.Error(), "in use by another localkube") {
		t.Errorf("a second lock: got %v", err)
	}
	f.Close()
	if f, err = lock(dir); err != nil {
		t.Errorf("after the first is released: got %v", err)
	} else {
		f.Close()
	}
}

func TestIdentity(t *testing.T) {
	for _, bad := range []string{"", "x", "=f", "x=", "system:serviceaccount:ns=f", "system:serviceaccount:a:b:c=f"} {
		if _, err := ParseIdentity(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	id, err := ParseIdentity("system:serviceaccount:ns:me=/tmp/f")
	if err != nil || id.File != "/tmp/f" || !slices.Equal(id.groups(), []string{"system:serviceaccounts", "system:serviceaccounts:ns"}) {
		t.Errorf("got %+v in %v (%v)", id, id.groups(), err)
	}
	if id, err := ParseIdentity("someone=f"); err != nil || id.groups() != nil {
		t.Errorf("got %+v in %v (%v)", id, id.groups(), err)
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
		t.Errorf("left over: %v", left)
	}
}
