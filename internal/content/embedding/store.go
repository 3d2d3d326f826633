// SPDX-License-Identifier: Apache-2.0

package embedding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/reelops/reelops/internal/store/blob"
)

// Store stores vectors; *blob.Store implements it.
type Store interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
}

// Vectors is the key prefix of the vectors in the store. They may be deleted at any time: the next process requests
// missing ones from the model again.
const Vectors = "stock/embeddings/"

var errUnknown = errors.New("no embedding of the text is stored")

func (m *Model) key(text string) string {
	return m.folder + hash(text)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:20])
}

// save stores a vector as little-endian 32-bit floats.
func (m *Model) save(ctx context.Context, text string, v vector) error {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return m.store.Put(ctx, m.key(text), "application/octet-stream", bytes.NewReader(b))
}

func (m *Model) load(ctx context.Context, text string) (vector, error) {
	r, err := m.store.Get(ctx, m.key(text))
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errUnknown
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(io.LimitReader(r, 4*maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%s has %d bytes", m.key(text), len(b))
	}
	numbers := make([]float64, len(b)/4)
	for i := range numbers {
		numbers[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	v, err := unit(numbers)
	if err != nil {
		return nil, fmt.Errorf("%s holds no vector", m.key(text))
	}
	return v, nil
}
