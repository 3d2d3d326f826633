// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gocloud.dev/blob"
)

// Object describes an object without its content.
type Object struct {
	Key   string
	Bytes int64
	// Modified is the time of the last write.
	Modified time.Time
	// MD5 of the object's bytes; nil if the store does not keep one.
	MD5 []byte
}

// Stat returns the description of an object. A missing object is ErrNotFound.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	a, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return Object{}, known("reading attributes of", key, err)
	}
	return Object{Key: key, Bytes: a.Size, Modified: a.ModTime, MD5: a.MD5}, nil
}

// Head returns the first n bytes of an object, or all of a shorter one. A missing object is ErrNotFound.
func (s *Store) Head(ctx context.Context, key string, n int) ([]byte, error) {
	r, err := s.bucket.NewRangeReader(ctx, key, 0, int64(n), nil)
	if err != nil {
		return nil, known("reading", key, err)
	}
	defer func() { _ = r.Close() }()
	head, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, known("reading", key, err)
	}
	return head, nil
}

// Copy copies an object within the store, whole or not at all; a cloud store copies on its side. An object with the key
// dst is replaced. A missing source is ErrNotFound.
func (s *Store) Copy(ctx context.Context, dst, src string) error {
	if err := s.bucket.Copy(ctx, dst, src, nil); err != nil {
		return known("copying", src, err)
	}
	return nil
}

// Walk calls f for every object whose key begins with the prefix, in no particular order. It stops at the first error
// of f and returns that error. f may delete the object. Objects that are created or deleted meanwhile may or may not be
// visited.
func (s *Store) Walk(ctx context.Context, prefix string, f func(Object) error) error {
	if s.signer != nil {
		return walkFolder(ctx, s.dir, prefix, func(o Object, _ string, unfinished bool) error {
			if unfinished {
				return nil
			}
			return f(o)
		})
	}
	it := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", prefix, err)
		}
		if err := f(Object{Key: o.Key, Bytes: o.Size, Modified: o.ModTime, MD5: o.MD5}); err != nil {
			return err
		}
	}
}
