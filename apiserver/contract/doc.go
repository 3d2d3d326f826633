// SPDX-License-Identifier: Apache-2.0

// Package contract is the specification of the interface, as specs that run: one for every rule that callers rely on, over
// real HTTP, against a real control plane with every controller at work. Its tests read as the rules do, a file for each
// part; whoever changes a rule changes a spec here first.
//
// Nothing here looks behind the interface to judge an answer. Objects are made by hand only where a caller has no way to:
// accounts, brands, keys and manifests. What cannot be seen from outside, such as log lines and what a renderer reports, is
// tested beside the code that does it.
package contract
