// SPDX-License-Identifier: Apache-2.0

// Package starterset lists the media that an installation has before users upload any: avatar clips from
// internal/starter/avatar and music loops from internal/starter/music. Each item is an object in the library namespace
// whose spec.source.starter has the name of the item. This package defines the names and the specs of these objects.
//
// Starter backgrounds and their packs are not part of the set: they are rendered when used and need no object.
package starterset
