// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"
	"k8s.io/utils/clock"
)

// ErrNotFound means that no object has the key.
var ErrNotFound = errors.New("no such object in the blob store")

// Config is the location of the store and the configuration of a folder's signed URLs.
type Config struct {
	// URL of the bucket: file:///path, s3://bucket, gs://bucket or azblob://container, with the parameters of
	// gocloud.dev.
	URL string
	// SigningKey signs the URLs of a folder: at least 32 bytes. Cloud stores do not use it.
	SigningKey []byte
	// BaseURL is the address at which the front end serves Handler, as seen by the client of a signed URL. Only a
	// folder uses it.
	BaseURL string
	// Clock determines when signed URLs of a folder expire. Default: the machine's clock.
	Clock clock.PassiveClock
	// Cloud implements the cloud stores; nil if the store is always a folder.
	Cloud Cloud
}

// Store is an open blob store, safe for concurrent use.
type Store struct {
	bucket *blob.Bucket
	clock  clock.PassiveClock
	signer *folderSigner // nil unless the store is a folder
	dir    string        // of the folder
	cloud  Cloud         // nil when the store is a folder
}

// Open opens the store. A missing folder is created.
func Open(ctx context.Context, c Config) (*Store, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("parsing the blob store URL: %w", err)
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if u.Scheme != "file" {
		if c.Cloud == nil {
			return nil, fmt.Errorf("opening the blob store: this program supports only file:// URLs, not %s://", u.Scheme)
		}
		b, err := blob.OpenBucket(ctx, c.URL)
		if err != nil {
			return nil, fmt.Errorf("opening the blob store: %w", err)
		}
		return &Store{bucket: b, clock: c.Clock, cloud: c.Cloud}, nil
	}
	signer, err := newFolderSigner(c.BaseURL, c.SigningKey, c.Clock)
	if err != nil {
		return nil, err
	}
	dir := filepath.FromSlash(u.Path)
	b, err := fileblob.OpenBucket(dir, &fileblob.Options{
		URLSigner:   signer,
		CreateDir:   true,
		DirFileMode: 0o750,
		Metadata:    fileblob.MetadataDontWrite,
		// Unfinished writes are stored beside the object: elsewhere the final rename could cross file systems and fail.
		NoTempDir: true,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the blob store: %w", err)
	}
	s := &Store{bucket: b, clock: c.Clock, signer: signer, dir: dir}
	if err := s.SweepUnfinished(ctx, UnfinishedAge); err != nil {
		return nil, fmt.Errorf("opening the blob store: %w", err)
	}
	return s, nil
}

// Clock returns the clock of the store.
func (s *Store) Clock() clock.PassiveClock { return s.clock }

// Close releases the store.
func (s *Store) Close() error { return s.bucket.Close() }

// Put stores the bytes of r under the key, completely or not at all. An existing object is replaced.
func (s *Store) Put(ctx context.Context, key, contentType string, r io.Reader) (err error) {
	defer counted("put", time.Now(), &err)
	// Canceling the context discards a partly written object.
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: contentType})
	if err != nil {
		return fmt.Errorf("storing %s: %w", key, err)
	}
	if err := copyFlat(w, callers{r}); err != nil {
		abort()
		_ = w.Close()
		return fmt.Errorf("storing %s: %w", key, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("storing %s: %w", key, err)
	}
	return nil
}

// buffers are the copy buffers of copyFlat.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// copyFlat copies through one small buffer. With io.Copy the driver would allocate a megabyte for each of many
// concurrent copies.
func copyFlat(w io.Writer, r io.Reader) error {
	b := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(b)
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, b[:])
	return err
}

// Get opens an object for reading. The caller closes it. A missing object is ErrNotFound.
func (s *Store) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	r, _, err := s.Open(ctx, key)
	return r, err
}

// Open is like Get and also returns the object's length in bytes at the time of opening.
func (s *Store) Open(ctx context.Context, key string) (_ io.ReadCloser, size int64, err error) {
	defer counted("get", time.Now(), &err)
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, 0, known("reading", key, err)
	}
	return r, r.Size(), nil
}

// OpenAt opens an object for reading from an offset in bytes to its end. The caller closes it. A missing object is
// ErrNotFound.
func (s *Store) OpenAt(ctx context.Context, key string, offset int64) (io.ReadCloser, error) {
	return s.OpenRange(ctx, key, offset, -1)
}

// OpenRange opens n bytes of an object for reading, from an offset in bytes. There are fewer if the object ends before.
// The caller closes it. A missing object is ErrNotFound.
func (s *Store) OpenRange(ctx context.Context, key string, offset, n int64) (_ io.ReadCloser, err error) {
	defer counted("get", time.Now(), &err)
	r, err := s.bucket.NewRangeReader(ctx, key, offset, n, nil)
	if err != nil {
		return nil, known("reading", key, err)
	}
	return r, nil
}

// Size returns an object's length in bytes. A missing object is ErrNotFound.
func (s *Store) Size(ctx context.Context, key string) (_ int64, err error) {
	defer counted("size", time.Now(), &err)
	a, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return 0, known("reading attributes of", key, err)
	}
	return a.Size, nil
}

// Exists reports whether an object has the key.
func (s *Store) Exists(ctx context.Context, key string) (_ bool, err error) {
	defer counted("exists", time.Now(), &err)
	ok, err := s.bucket.Exists(ctx, key)
	if err != nil {
		return false, fmt.Errorf("checking whether %s exists: %w", key, err)
	}
	return ok, nil
}

// Delete removes an object. A missing object is not an error.
func (s *Store) Delete(ctx context.Context, key string) (err error) {
	defer counted("delete", time.Now(), &err)
	if err := s.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("deleting %s: %w", key, err)
	}
	return nil
}

// DeletePrefix removes every object whose key begins with the prefix.
func (s *Store) DeletePrefix(ctx context.Context, prefix string) (err error) {
	defer counted("list", time.Now(), &err)
	it := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", prefix, err)
		}
		if err := s.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
}

// SignedGet returns a URL at which the object can be read without a credential for the given duration.
func (s *Store) SignedGet(ctx context.Context, key string, valid time.Duration) (string, error) {
	if s.signer != nil { // lists sign dozens of URLs; the driver takes three times as long
		return s.signer.url(http.MethodGet, key, "", valid), nil
	}
	return s.signed(ctx, key, &blob.SignedURLOptions{Method: http.MethodGet, Expiry: valid})
}

// SignedPut returns a URL at which the object can be written without a credential for the given duration, and the
// headers that the client must send.
func (s *Store) SignedPut(ctx context.Context, key, contentType string, valid time.Duration) (url string, headers map[string]string, err error) {
	if s.signer != nil {
		return s.signer.url(http.MethodPut, key, contentType, valid), map[string]string{"Content-Type": contentType}, nil
	}
	return s.SignedUpload(ctx, key, Upload{ContentType: contentType, Bytes: -1, Valid: valid})
}

func (s *Store) signed(ctx context.Context, key string, o *blob.SignedURLOptions) (_ string, err error) {
	defer counted("sign", time.Now(), &err)
	u, err := s.bucket.SignedURL(ctx, key, o)
	if err != nil {
		return "", fmt.Errorf("signing a URL for %s: %w", key, err)
	}
	return u, nil
}

func known(doing, key string, err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("%s %s: %w", doing, key, ErrNotFound)
	}
	return fmt.Errorf("%s %s: %w", doing, key, err)
}
