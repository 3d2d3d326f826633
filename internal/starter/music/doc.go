// SPDX-License-Identifier: Apache-2.0

// Package music composes the stock background music: short loops in different moods. The code has them as chords, tunes
// and rhythms, and the instruments of package synth play them.
//
// On one kind of processor the same name always gives the same samples. The small errors in timing and loudness of the
// players are random, but the random numbers of a piece depend on its name only. Every piece is a seamless loop, as
// loud as the others, and free for any use.
//
// The package does not depend on the storage, the brands or the videos. Only Render has effects outside the process: it
// calls ffmpeg for the encoding.
package music
