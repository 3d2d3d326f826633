// SPDX-License-Identifier: Apache-2.0

// Command scan runs external scanners over the Go code, and fails on findings that accepted.yaml does not justify. The
// module is separate, so that the dependencies of the scanners are no dependencies of Reelops.
//
//	make scan                                     # gosec, and govulncheck where its database can be reached
//	go -C hack/scan run . -vulndb file:///folder  # govulncheck with a copy of the database
//
// An entry of accepted.yaml consists of a rule, places, and the reason. A place without a finding fails as well, so
// that outdated entries are removed.
package main
