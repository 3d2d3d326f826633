// SPDX-License-Identifier: Apache-2.0

// Package mediaasset takes in the pictures and clips that users bring: it keeps each under a name of its own in the store,
// and says what it really is. Pictures are decoded here, within bounds; clips are opened in confined Jobs alone. How a file
// is taken in stands in internal/media/intake; here is what is particular to pictures and clips.
package mediaasset
