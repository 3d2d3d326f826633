// SPDX-License-Identifier: Apache-2.0

// Package deck says what a Slideshow's spec and status mean together: which slides it shall have, whether those that were
// drawn are still the ones that are asked for, and what an edit makes of the spec. The controller decides by it, and the
// front end shows and edits by it, so that both speak of the same slides.
//
// Everything here is a pure function of the objects. It draws nothing, reads nothing and writes nothing.
package deck
