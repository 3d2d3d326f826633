// SPDX-License-Identifier: Apache-2.0

package console

import (
	"maps"
	"slices"
)

// Protected returns the patterns of the routes that need a session.
func Protected() []string { return slices.Sorted(maps.Keys((&Handler{}).protected())) }
