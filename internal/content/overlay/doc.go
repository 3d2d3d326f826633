// SPDX-License-Identifier: Apache-2.0

// Package overlay puts text on pictures. It repairs what was asked for until it can be read (Normalise), sets the text of
// generated slides in a design style (Layout), draws the layer that lies over a picture (Draw, Compose) and makes the
// contact sheet and thumbnails of a slideshow. Measuring and drawing share one layout, so text never lands elsewhere
// than it was checked.
//
// It needs installed fonts. On Debian:
//
//	apt-get install fonts-inter fonts-manrope fonts-league-spartan fonts-bebas-neue fonts-ebgaramond \
//	    fonts-roboto-slab fonts-quicksand fonts-lobstertwo fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji
//
// New refuses to start without them and names the packages that are missing.
//
// It does not choose pictures or write words, and it keeps no state between calls.
package overlay
