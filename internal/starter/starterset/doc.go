// SPDX-License-Identifier: Apache-2.0

// Package starterset lists what an installation has before anybody brought something: avatar clips drawn by internal/starter/avatar
// and loops of music played by internal/starter/music. They become objects of the library namespace that name their item in
// spec.source.starter; this package says which names there are and what such an object says of itself.
//
// Starter backgrounds and their packs are not part of it: they are drawn when they are used and need no object.
package starterset
