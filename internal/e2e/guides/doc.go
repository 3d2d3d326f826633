// SPDX-License-Identifier: Apache-2.0

// Package guides runs the commands of the documents for users against a running stack: README.md,
// docs/getting-started.md and docs/guides.
//
// Every block with the language sh is run, in a directory that looks like the repository after `make run`. The blocks
// of one document share one shell, and a command that fails fails the test. A comment above a block excludes it:
//
//	<!-- not run: reason -->
package guides
