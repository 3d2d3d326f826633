// SPDX-License-Identifier: Apache-2.0

package speech

import "encoding/binary"

// WholeWAV corrects the lengths in the header of a WAV file. Servers that stream before the speech is complete do not
// know the length and declare the maximum, which other programs treat as a truncated file. Other files stay unchanged.
func WholeWAV(data []byte) []byte {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return data
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	for at := 12; at+8 <= len(data); {
		size, left := int64(binary.LittleEndian.Uint32(data[at+4:])), int64(len(data)-at-8)
		if string(data[at:at+4]) == "data" && (size > left || size == 0) {
			binary.LittleEndian.PutUint32(data[at+4:], uint32(left))
			return data
		}
		if size > left {
			return data
		}
		at += 8 + int(size+size&1)
	}
	return data
}
