// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"bytes"
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
	"github.com/openai/openai-go/v3/option"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/fetch"
	"github.com/reelops/reelops/internal/imagery"
)

const (
	// DefaultBaseURL is where a maker without a base URL asks.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultTimeout bounds the making of one picture.
	DefaultTimeout = 2 * time.Minute

	// maxPicture bounds a picture's file in bytes, maxAnswer a response: the picture in base64 and some room. maxPixels is
	// three times what any canvas needs in each direction; several are in memory at a time.
	maxPicture = 32 << 20
	maxAnswer  = maxPicture*4/3 + 1<<20
	maxPixels  = 20_000_000
)

// Config says which model to ask and where.
type Config struct {
	// BaseURL ends before "/images/generations", for example "http://localhost:8080/v1". Empty means DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the model's name as the server knows it.
	Model string
	// Timeout bounds the making of one picture; 0 means DefaultTimeout.
	Timeout time.Duration
	// AllowHosts may be fetched from whatever their address, besides the server itself, where answers name addresses.
	AllowHosts []string
	// HTTP carries the calls; nil means http.DefaultTransport. Its redirects are not followed.
	HTTP http.RoundTripper
}

// Maker makes pictures. It may be used by many goroutines.
type Maker struct {
	images  sdk.ImageService
	fetch   *fetch.Client
	key     string
	model   string
	timeout time.Duration
	sizes   sizes
}

// New makes a maker; it makes no call. A missing model or an unusable base URL is an error.
func New(c Config) (*Maker, error) {
	if c.Model == "" {
		return nil, errors.New("AI pictures: no model named")
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("AI pictures: the base URL must be http(s)://host[/path]")
	}
	if c.Timeout < 0 {
		return nil, errors.New("AI pictures: the timeout must not be negative")
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultTransport
	}
	// The service is made without the SDK's client, which would read keys and addresses from the environment.
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: limited{c.HTTP}}),
	}
	if c.APIKey != "" {
		opts = append(opts, option.WithAPIKey(c.APIKey))
	}
	return &Maker{
		images: sdk.NewImageService(opts...), fetch: fetch.New(c.Timeout, append([]string{u.Host}, c.AllowHosts...)...),
		key: c.APIKey, model: c.Model, timeout: c.Timeout,
	}, nil
}

// Make makes one picture that covers a canvas of the ratio; it may be larger, or of a ratio near by, and is to be cropped.
// The error is an *Error.
func (m *Maker) Make(ctx context.Context, prompt string, ratio catalog.AspectRatio) (image.Image, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	for {
		size, more := m.sizes.of(ratio)
		res, err := m.images.Generate(ctx, sdk.ImageGenerateParams{
			Prompt: prompt, Model: m.model, N: sdk.Int(1), Size: sdk.ImageGenerateParamsSize(size),
		})
		if err != nil && more && refusesSize(err) {
			m.sizes.refused(size) // a refused request costs nothing
			continue
		}
		if err != nil {
			return nil, m.failure(ctx, err)
		}
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

var (
	errEmpty    = errors.New("the server answered without a picture")
	errRedirect = errors.New("the server answered with a redirect")
)

// read takes the picture out of an answer.
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
			return nil, fmt.Errorf("fetching the picture: %w", withoutAddress(err))
		}
		defer func() { _ = body.Close() }()
		from = body
	default:
		return nil, errEmpty
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("fetching the picture: %w", withoutAddress(err))
	}
	img, _, err := imagery.DecodeLimited(bytes.NewReader(data), maxPixels)
	if err != nil {
		return nil, &unreadable{err}
	}
	return img, nil
}

// unreadable says that what came is no picture.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }

// withoutAddress takes the address out of an error: it may be signed.
func withoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// limited ends a response that is far larger than any answer, and follows no redirect: a key must not travel to where
// nobody sent it.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		return nil, errRedirect
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxAnswer), res.Body}
	return res, nil
}
