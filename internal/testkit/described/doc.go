// SPDX-License-Identifier: Apache-2.0

// Package described holds live requests and answers against an OpenAPI description, with a validator that the project did
// not write. Tests put its Transport under their HTTP client and need not think of it again: a call whose answer is not as
// described fails with an error that says what differs.
//
// It judges what the service says of itself, not whether that is right: the rules are for the tests.
package described
