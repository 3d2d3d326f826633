// SPDX-License-Identifier: Apache-2.0

// Package promises holds docs/reference/contract.md against the code. That document says of everything the service promises on the
// wire where it is done and which test proves it; this package finds rows whose file, symbol or test is not there, tests that
// do not run, and operations, codes, scopes, ceilings and tools that no row speaks of. Its test is what keeps the document
// true; there is nothing to run but that.
//
// It reads Go files without compiling them: whether a test proves what its row says is for the people who write both.
package promises
