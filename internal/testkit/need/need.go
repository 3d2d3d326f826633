// SPDX-License-Identifier: Apache-2.0

// Package need ends tests whose prerequisites, other than Go, are missing. With -short, as in `make test-unit`, such
// tests are skipped with the reason. Otherwise they fail: `make test` installs everything.
package need

import (
	"os/exec"
	"testing"
)

// Program ends the test when a program is not installed.
func Program(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, name+" is not installed: run the tests with `make test`, which installs it")
	}
}

// Missing ends the test for a reason: it skips the test with -short and fails it otherwise.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skip(reason)
	}
	t.Fatal(reason)
}
