// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// DefaultTimeout limits the generation of one image.
	DefaultTimeout = 2 * time.Minute

	// maxPicture is the maximum size of an image file in bytes, and maxAnswer that of a response: the image in base64
	// and some room. maxPixels is three times what any canvas needs in each direction; several images are in memory at
	// a time.
	maxPicture = 32 << 20
	maxAnswer  = maxPicture*4/3 + 1<<20
	maxPixels  = 20_000_000
)

// Config configures a Maker.
type Config struct {
	// BaseURL is the address without "/images/generations", for example "http://localhost:8080/v1". Empty means
	// modelapi.DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the name of the model on the server.
	Model string
	// Timeout limits the generation of one image; 0 means DefaultTimeout.
	Timeout time.Duration
	// AllowHosts are hosts, in addition to the server itself, from which images may be fetched at any IP address.
	AllowHosts []string
	// FetchProxy is the proxy for images at addresses in answers; nil for none.
	FetchProxy *url.URL
	// HTTP is the transport; nil means http.DefaultTransport. Redirects are not followed.
	HTTP http.RoundTripper
}

// Maker generates images. It is safe for concurrent use.
type Maker struct {
	server  *modelapi.Server
	images  sdk.ImageService
	fetch   *fetch.Client
	model   string
	timeout time.Duration
	sizes   sizes
}

// New returns a maker without sending a request. It returns an error if the model is missing or the base URL is
// unusable.
func New(c Config) (*Maker, error) {
	timeout := cmp.Or(c.Timeout, DefaultTimeout)
	server, err := modelapi.Open(modelapi.Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: timeout, MaxAnswer: maxAnswer, HTTP: c.HTTP,
	})
	if err != nil {
		return nil, fmt.Errorf("AI pictures: %w", err)
	}
	return &Maker{
		server: server, images: sdk.NewImageService(server.Options...),
		fetch: fetch.Open(fetch.Config{Timeout: timeout, Allow: append([]string{server.Host}, c.AllowHosts...), Proxy: c.FetchProxy}),
		model: c.Model, timeout: timeout,
	}, nil
}

// Make returns one image that covers a canvas of the ratio. The image may be larger, or of a similar ratio, and should
// be cropped. The error is an *Error.
func (m *Maker) Make(ctx context.Context, prompt string, ratio catalog.AspectRatio) (image.Image, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	for {
		size, more := m.sizes.of(ratio)
		done := modelapi.Begin("picture", m.model)
		res, err := m.images.Generate(ctx, sdk.ImageGenerateParams{
			Prompt: prompt, Model: m.model, N: sdk.Int(1), Size: sdk.ImageGenerateParamsSize(size),
		})
		done(err)
		if err != nil && more && refusesSize(err) {
			m.sizes.refused(size) // a refused request costs nothing
			continue
		}
		if err != nil {
			return nil, m.failure(ctx, err)
		}
		modelapi.Tokens("picture", m.model, res.Usage.InputTokens, res.Usage.OutputTokens)
		modelapi.Pictures(m.model, len(res.Data))
		if len(res.Data) == 0 {
			return nil, m.failure(ctx, errEmpty)
		}
		img, err := m.read(ctx, res.Data[0])
		if err != nil {
			return nil, m.failure(ctx, err)
		}
		return img, nil
	}
}

var errEmpty = errors.New("the server returned no image")

// read returns the image of a response.
func (m *Maker) read(ctx context.Context, d sdk.Image) (image.Image, error) {
	var from io.Reader
	switch {
	case d.B64JSON != "":
		text := d.B64JSON
		if _, after, ok := strings.Cut(text, ";base64,"); ok && strings.HasPrefix(text, "data:") {
			text = after
		}
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return nil, &unreadable{err}
		}
		from = bytes.NewReader(data)
	case d.URL != "":
		body, err := m.fetch.Get(ctx, d.URL, maxPicture)
		if err != nil {
			return nil, fmt.Errorf("downloading the image: %w", modelapi.WithoutAddress(err))
		}
		defer func() { _ = body.Close() }()
		from = body
	default:
		return nil, errEmpty
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("downloading the image: %w", modelapi.WithoutAddress(err))
	}
	img, _, err := imagery.DecodeLimited(bytes.NewReader(data), maxPixels)
	if err != nil {
		return nil, &unreadable{err}
	}
	return img, nil
}

// unreadable means that the response is not an image.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
