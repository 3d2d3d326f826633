// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"

	"github.com/reelops/reelops/internal/work/order"
)

// fetchAtOnce is the number of inputs that are downloaded at a time.
const fetchAtOnce = 4

var errDigest = errors.New("digest of the file differs from the order")

// inputError is a failed download of an input.
type inputError struct {
	key      string
	tooLarge bool
	err      error
}

func (e *inputError) Error() string { return fmt.Sprintf("fetching input %s: %v", e.key, e.err) }
func (e *inputError) Unwrap() error { return e.err }

func (e *inputError) sentence() string {
	if errors.Is(e.err, errDigest) {
		return "The digest of an input file differs from the order."
	}
	return "An input file could not be downloaded."
}

// uploadError is a failed upload of a file.
type uploadError struct {
	what string
	err  error
}

func (e *uploadError) Error() string { return fmt.Sprintf("uploading the %s: %v", e.what, e.err) }
func (e *uploadError) Unwrap() error { return e.err }

// inputs downloads the files that a timeline names and returns their paths and digests. Keys of an order are never used
// in paths.
func (r *run) inputs(ctx context.Context, names iter.Seq2[string, string], files map[string]order.File, dir string) (paths, digests map[string]string, err error) {
	paths, digests = map[string]string{}, map[string]string{}
	var keys []string
	for _, key := range names {
		if _, known := files[key]; !known || paths[key] != "" {
			continue // an input that is missing is reported with the field that names it, by the renderer
		}
		paths[key] = filepath.Join(dir, fmt.Sprintf("input-%03d", len(keys)))
		keys = append(keys, key)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, fetchAtOnce)
	for _, key := range keys {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			sum, err := r.input(ctx, key, files[key], paths[key])
			if err != nil {
				stop(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			digests[key] = sum
		})
	}
	wg.Wait()
	return paths, digests, context.Cause(ctx)
}

func (r *run) input(ctx context.Context, key string, in order.File, path string) (digest string, err error) {
	h := sha256.New()
	err = r.web.download(ctx, in.URL, in.MaxBytes, path, h)
	digest = hex.EncodeToString(h.Sum(nil))
	if err == nil && in.SHA256 != "" && digest != in.SHA256 {
		err = errDigest
	}
	if err != nil {
		return "", &inputError{key, errors.Is(err, errTooLarge), err}
	}
	return digest, nil
}
