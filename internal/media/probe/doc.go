// SPDX-License-Identifier: Apache-2.0

// Package probe looks at clips and tracks that somebody brought: what they really are, whether they are whole, what they look
// and sound like. It says so as facts, or refuses with a reason.
//
// The files are hostile. ffprobe and ffmpeg open them, as children with bounded memory and processor time and nothing of
// this process's environment, with the one demuxer that the file's first bytes ask for, a list of decoders that are taken,
// and no protocol but local files: nothing that stands in a file is ever opened, be it a playlist, a reference of a
// QuickTime film or an address. Every argument is made here from typed values. What a file says about itself is not
// believed where it can be counted: packets are counted and timed one by one.
//
// The package belongs into a confined process: a child that breaks out of its decoder is stopped by what surrounds it, not
// by what is done here.
package probe
