// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package heic

import "golang.org/x/sys/unix"

// allocate maps n bytes.
func allocate(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// free unmaps memory that allocate returned.
func free(b []byte) { _ = unix.Munmap(b) }
