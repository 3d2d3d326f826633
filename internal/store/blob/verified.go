// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// verifiedBlock is how many bytes of a verified object one digest covers, and the buffer size of a reader.
const verifiedBlock = 256 << 10

// Verified is an object that had the expected SHA-256 when it was read. Its readers return those bytes and no others:
// they compare each block with its digest at that time. It takes 128 bytes of memory for a mebibyte of the object.
type Verified struct {
	store  *Store
	key    string
	bytes  int64
	blocks [][sha256.Size]byte
}

// Verify reads an object and compares its SHA-256, given as 64 lower-case hexadecimal digits. A missing object is
// ErrNotFound, one with another digest ErrDigest.
func (s *Store) Verify(ctx context.Context, key, digest string) (*Verified, error) {
	r, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	v, whole, buf := &Verified{store: s, key: key}, sha256.New(), make([]byte, verifiedBlock)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			_, _ = whole.Write(buf[:n]) // never fails
			v.blocks, v.bytes = append(v.blocks, sha256.Sum256(buf[:n])), v.bytes+int64(n)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, known("reading", key, err)
		}
	}
	if hex.EncodeToString(whole.Sum(nil)) != digest {
		return nil, fmt.Errorf("verifying %s: %w", key, ErrDigest)
	}
	return v, nil
}

// OpenAt opens the object for reading from an offset in bytes to its end. The caller closes it. A read returns
// ErrDigest if the object is not the verified one any more, and returns no byte of the block that differs.
func (v *Verified) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	if offset < 0 || offset > v.bytes {
		return nil, fmt.Errorf("reading %s at offset %d: object has only %d bytes", v.key, offset, v.bytes)
	}
	first := offset / verifiedBlock
	r, err := v.store.OpenAt(ctx, v.key, first*verifiedBlock)
	if err != nil {
		return nil, err
	}
	return &verifiedReader{v: v, r: r, next: first, skip: offset - first*verifiedBlock}, nil
}

type verifiedReader struct {
	v *Verified
	r io.ReadCloser
	// next is the next block to read; skip is how many of its bytes precede the offset.
	next, skip int64
	// block is the buffer; rest is its part that was not returned yet.
	block, rest []byte
}

func (r *verifiedReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.next == int64(len(r.v.blocks)) {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *verifiedReader) fill() error {
	if r.block == nil {
		r.block = make([]byte, verifiedBlock)
	}
	b := r.block[:min(verifiedBlock, r.v.bytes-r.next*verifiedBlock)]
	_, err := io.ReadFull(r.r, b)
	short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !short {
		return known("reading", r.v.key, err)
	}
	if short || sha256.Sum256(b) != r.v.blocks[r.next] {
		return fmt.Errorf("reading %s: %w", r.v.key, ErrDigest)
	}
	r.rest, r.skip, r.next = b[r.skip:], 0, r.next+1
	return nil
}

// Close closes the object.
func (r *verifiedReader) Close() error { return r.r.Close() }
