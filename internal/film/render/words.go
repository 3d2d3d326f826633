// SPDX-License-Identifier: Apache-2.0

package render

import "encoding/binary"

// load64 and store64 read and write eight samples; the compiler turns each into one instruction.
func load64(b []byte) uint64     { return binary.LittleEndian.Uint64(b) }
func store64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
