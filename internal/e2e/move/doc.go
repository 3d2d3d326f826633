// SPDX-License-Identifier: Apache-2.0

// Package move tries a backup that is restored into an empty cluster, with the real manager and the stand-in of the platforms, which
// is the same for both clusters: its ledger shows whatever is published twice.
package move
