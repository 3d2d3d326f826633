// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"os"
	"strconv"
	"testing"
)

// Number returns the value of an environment variable that sets the size of a test; def if it is not set. A value that
// is not a positive number fails the test.
func Number(t *testing.T, name string, def int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a positive number", name, text)
	}
	return n
}
