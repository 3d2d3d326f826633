// SPDX-License-Identifier: Apache-2.0

// Package e2e has tests that run a built localkube, the file in LOCALKUBE_BINARY. The package exports nothing.
package e2e
