// SPDX-License-Identifier: Apache-2.0

// Package promises compares docs/reference/contract.md with the code. Each row of that document names a promise of the
// API, the code that implements it and the test that proves it. The test of this package fails for a row whose file,
// symbol or test does not exist or does not run, and for an operation, error code, scope, rate limit or tool without a
// row.
//
// It parses Go files without compiling them. Whether a test proves what its row promises is up to authors and
// reviewers.
package promises
