// SPDX-License-Identifier: Apache-2.0

// Package e2e holds tests against a built localkube: LOCALKUBE_BINARY names
// it. There is nothing to import.
package e2e
