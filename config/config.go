// SPDX-License-Identifier: Apache-2.0

// Package config holds manifests of an installation that programs read.
package config

import "embed"

// Rules are the CRDs, in crd/bases, and the admission policies, in policy.
//
//go:embed crd/bases/*.yaml policy/*.yaml
var Rules embed.FS
