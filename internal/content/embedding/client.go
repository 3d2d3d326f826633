// SPDX-License-Identifier: Apache-2.0

package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// maxSize is the maximum number of dimensions of a vector. The largest models have about 4,000.
	maxSize = 16_384
	// maxAnswer is the maximum size of a response in bytes: a batch of long vectors at 25 bytes a number.
	maxAnswer = 64 << 20
	// batch is the number of texts per request.
	batch = 32
)

// vector has length 1, so that the dot product of two vectors is the cosine of the angle between them.
type vector []float32

// client calls the embeddings API.
type client struct {
	server *modelapi.Server
	api    sdk.EmbeddingService
	model  string
}

// embed returns one vector for each text, all of the same size.
func (c *client) embed(ctx context.Context, texts []string) ([]vector, error) {
	res, err := c.api.New(ctx, sdk.EmbeddingNewParams{
		Model: c.model, Input: sdk.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
		EncodingFormat: sdk.EmbeddingNewParamsEncodingFormatFloat,
	})
	if err != nil {
		var answered *sdk.Error
		if errors.As(err, &answered) {
			return nil, c.server.Answered(answered)
		}
		return nil, c.server.Unreached(err)
	}
	if len(res.Data) != len(texts) {
		return nil, fmt.Errorf("the server gave %d vectors for %d texts", len(res.Data), len(texts))
	}
	out := make([]vector, len(texts))
	for _, d := range res.Data {
		if d.Index < 0 || d.Index >= int64(len(texts)) || out[d.Index] != nil {
			return nil, errors.New("the server gave vectors for other texts")
		}
		v, err := unit(d.Embedding)
		if err != nil {
			return nil, err
		}
		out[d.Index] = v
		if len(v) != len(out[res.Data[0].Index]) {
			return nil, errors.New("the server gave vectors of different sizes")
		}
	}
	return out, nil
}

// unit returns a vector scaled to length 1.
func unit(of []float64) (vector, error) {
	if len(of) == 0 || len(of) > maxSize {
		return nil, fmt.Errorf("the server gave a vector of %d numbers", len(of))
	}
	sum := 0.0
	for _, x := range of {
		sum += x * x
	}
	if sum <= 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("the server gave a vector without a direction")
	}
	out := make(vector, len(of))
	for i, x := range of {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out, nil
}

// dot returns the cosine of the angle between two vectors of the same size.
func dot(a, b vector) float64 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}
