// SPDX-License-Identifier: Apache-2.0

// Package catalog holds the values that Reelops both publishes and enforces: error codes, scopes, limits, aspect
// ratios, design styles, fonts, image worlds and the platforms' rules. It is the only source of these values for
// capabilities, validation, the OpenAPI description, the normalizer and the error pages. It has no dependencies.
package catalog

// Revised is the day on which an accepted value last changed. capabilities.version begins with this date.
const Revised = "2026-11-23"
