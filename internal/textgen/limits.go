// SPDX-License-Identifier: Apache-2.0

package textgen

// Bounds of a request.
const (
	MinSlides  = 3
	MaxSlides  = 12
	MinContext = 1
	MaxContext = 5000
)
