// SPDX-License-Identifier: Apache-2.0

// Package probe inspects clips and tracks of users: their real format, whether they are complete, how they look and
// sound. It returns these facts, or refuses the file with a reason.
//
// The files are hostile. ffprobe and ffmpeg open them as child processes with bounded memory and processor time and
// without this process's environment. They get the one demuxer that matches the file's first bytes, a list of accepted
// decoders, and no protocol except local files. So nothing that a file refers to is ever opened: no playlist, no
// reference of a QuickTime movie, no address. Every argument is built in this package from typed values. Metadata of a
// file is not trusted where it can be counted: packets are counted and timed one by one.
//
// The package belongs in a confined process. The confinement stops a child that breaks out of its decoder; this package
// cannot.
package probe
