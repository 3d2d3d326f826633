// SPDX-License-Identifier: Apache-2.0

// Package auth authenticates API keys, checks what they allow and selects the brand that a request is for.
//
// Keys are found by the hash of their secret through a cache index, and then read from the cluster, so that a
// revocation applies to the next call. Key usage is counted in process and written in batches; a crash loses at most
// one batch. Rate limits are not part of this package.
package auth
