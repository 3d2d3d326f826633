// SPDX-License-Identifier: Apache-2.0

// Package auth tells who calls, what the key allows and which brand the call is for.
//
// Keys are found by the hash of their secret through an index of the cache, so a call costs no request to the cluster and
// a revocation holds as soon as the cache has seen it. Uses of keys are counted in memory and written in batches; a crash
// loses at most one batch of counts. Ceilings on the number of calls are not here.
package auth
