// SPDX-License-Identifier: Apache-2.0

// Package overlay renders text on images. Normalise corrects overlays until they are readable, Layout sets the text of
// generated slides in a design style, and Draw and Compose render the layer over an image. The package also renders the
// contact sheet and thumbnails of a slideshow. Measuring and drawing share one layout, so text is drawn exactly where
// it was checked.
//
// It needs installed fonts. On Debian:
//
//	apt-get install fonts-inter fonts-manrope fonts-league-spartan fonts-bebas-neue fonts-ebgaramond \
//	    fonts-roboto-slab fonts-quicksand fonts-lobstertwo fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji
//
// New returns an error without them that names the missing packages.
//
// The package does not choose images or write text, and it keeps no state between calls.
package overlay
