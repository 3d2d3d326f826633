// SPDX-License-Identifier: Apache-2.0

// Package release holds the tests of hack/release.sh.
package release
