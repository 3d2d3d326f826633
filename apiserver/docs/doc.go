// SPDX-License-Identifier: Apache-2.0

// Package docs creates the HTML page of the API from its OpenAPI description, so that both agree. The page is a single
// file without scripts that loads nothing. The first request creates it.
package docs
