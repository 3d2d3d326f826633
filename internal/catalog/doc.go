// SPDX-License-Identifier: Apache-2.0

// Package catalog holds the values that Reelops both publishes and enforces: error codes, scopes, limits, aspect ratios,
// design styles, fonts and image worlds. Capabilities, validation, the OpenAPI description, the normaliser and the
// error pages all read this one place. It depends on nothing.
package catalog
