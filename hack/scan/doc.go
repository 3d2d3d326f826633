// SPDX-License-Identifier: Apache-2.0

// Command scan runs scanners that were written elsewhere over the Go code, and fails on whatever they find that accepted.yaml does not
// argue for. It is a module of its own, so that what the scanners need is no dependency of Reelops.
//
//	make scan                                     # gosec, and govulncheck where its database can be reached
//	go -C hack/scan run . -vulndb file:///folder  # govulncheck with a copy of the database
//
// An entry of accepted.yaml is a rule, places, and the reason. A place that nothing fits any more fails as well: reasons do not
// outlive what they are for.
package main
