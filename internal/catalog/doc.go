// SPDX-License-Identifier: Apache-2.0

// Package catalog holds the values that Reelops both publishes and enforces: error codes, scopes, limits, aspect ratios,
// design styles, fonts, image worlds and the platforms' rules. Capabilities, validation, the OpenAPI description, the
// normaliser and the error pages all read this one place. It depends on nothing.
package catalog

// Revised is the day on which an accepted value last changed; capabilities.version begins with it.
const Revised = "2026-11-23"
