// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"encoding/binary"
)

// box is a part of an ISO base media file.
func box(kind string, parts ...[]byte) []byte {
	body := join(parts...)
	return join(u32(uint32(len(body)+8)), []byte(kind), body)
}

// full is a box with a version and flags.
func full(kind string, version byte, flags uint32, parts ...[]byte) []byte {
	return box(kind, append([][]byte{u32(uint32(version)<<24 | flags)}, parts...)...)
}

// edit gives the file with the content of every box at the path as f makes it; f may give nil to take the box away. The
// sizes around it are made right.
func edit(file []byte, f func([]byte) []byte, path ...string) []byte {
	var out []byte
	each(file, func(kind string, body []byte) {
		switch {
		case kind != path[0]:
			out = join(out, box(kind, body))
		case len(path) > 1:
			out = join(out, box(kind, edit(body, f, path[1:]...)))
		default:
			if body = f(body); body != nil {
				out = join(out, box(kind, body))
			}
		}
	})
	return out
}

// each goes over the boxes of a good file.
func each(b []byte, f func(kind string, body []byte)) {
	for len(b) >= 8 {
		n := binary.BigEndian.Uint32(b)
		f(string(b[4:8]), b[8:n])
		b = b[n:]
	}
}

// find gives the content of the first box at the path.
func find(file []byte, path ...string) []byte {
	var found []byte
	each(file, func(kind string, body []byte) {
		if kind == path[0] && found == nil {
			if found = body; len(path) > 1 {
				found = find(body, path[1:]...)
			}
		}
	})
	return found
}

// patched is the bytes with others in their place.
func patched(b []byte, at int, with ...byte) []byte {
	out := append([]byte(nil), b...)
	copy(out[at:], with)
	return out
}
