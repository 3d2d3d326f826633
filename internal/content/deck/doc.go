// SPDX-License-Identifier: Apache-2.0

// Package deck defines how a Slideshow's spec and status are read together: which slides the slideshow should have,
// whether the rendered slides are up to date, and how an edit changes the spec. The controller and the front end share
// these rules, so that both refer to the same slides.
//
// All functions are pure functions of the objects. They render nothing and do no I/O.
package deck
