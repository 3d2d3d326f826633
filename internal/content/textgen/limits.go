// SPDX-License-Identifier: Apache-2.0

package textgen

import "github.com/reelops/reelops/internal/catalog"

// Bounds of a request, as they are published.
const (
	MinSlides  = catalog.MinSlides
	MaxSlides  = catalog.MaxSlides
	MinContext = 1
	MaxContext = catalog.MaxContextCharacters
)
