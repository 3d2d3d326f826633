// SPDX-License-Identifier: Apache-2.0

package textgen

import "github.com/reelops/reelops/internal/catalog"

// Limits of a request, as published in the API.
const (
	MinSlides  = catalog.MinSlides
	MaxSlides  = catalog.MaxSlides
	MinContext = 1
	MaxContext = catalog.MaxContextCharacters
)
