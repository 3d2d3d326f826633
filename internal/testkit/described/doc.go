// SPDX-License-Identifier: Apache-2.0

// Package described validates live requests and responses against an OpenAPI description, with a third-party validator.
// Tests use its Transport in their HTTP client: a call whose response does not match the description fails with an
// error that states the difference.
//
// The package does not check whether the description itself is right; other tests do.
package described
