// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/reelops/reelops/internal/textgen"
)

const (
	// DefaultBaseURL is where a writer without a base URL asks.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultTimeout bounds one Write with all of its calls.
	DefaultTimeout = 60 * time.Second

	maxAnswer = 2 << 20 // bytes of one response; a draft is a few kilobytes
)

// Config says which model to ask and where.
type Config struct {
	// BaseURL ends before "/chat/completions", for example "http://localhost:11434/v1". Empty means DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the model's name as the server knows it.
	Model string
	// Timeout bounds one Write; 0 means DefaultTimeout.
	Timeout time.Duration
	// HTTP carries the calls; nil means http.DefaultTransport. Its redirects are not followed.
	HTTP http.RoundTripper
}

// Writer writes drafts with a chat model.
type Writer struct {
	chat    sdk.ChatCompletionService
	key     string
	model   string
	timeout time.Duration
}

var _ textgen.Writer = (*Writer)(nil)

// New makes a writer; it makes no call. A missing model or an unusable base URL is an error.
func New(c Config) (*Writer, error) {
	if c.Model == "" {
		return nil, errors.New("openai writer: no model named")
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("openai writer: the base URL must be http(s)://host[/path]")
	}
	if c.Timeout < 0 {
		return nil, errors.New("openai writer: the timeout must not be negative")
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
	return &Writer{chat: sdk.NewChatCompletionService(opts...), key: c.APIKey, model: c.Model, timeout: c.Timeout}, nil
}

// Write asks the model. All of its calls together take no longer than the timeout.
func (w *Writer) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	if err := r.Validate(); err != nil {
		return textgen.Draft{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	want := languageOf(r)
	messages := []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage(rules(r, want)), sdk.UserMessage(task(r))}
	answer, schema, err := w.ask(ctx, messages, true)
	if err != nil {
		return textgen.Draft{}, w.failure(err)
	}
	draft, bad := read(r, want, answer)
	if len(bad) > 0 {
		// Only a part of a long answer goes back: enough to see what was meant.
		messages = append(messages, sdk.AssistantMessage(clip(answer.text, 6000)), sdk.UserMessage(repair(bad)))
		answer, _, err = w.ask(ctx, messages, schema)
		if err != nil {
			return textgen.Draft{}, w.failure(err)
		}
		if draft, bad = read(r, want, answer); len(bad) > 0 {
			return textgen.Draft{}, textgen.Fail("The language model gave no usable slides", true, errors.New(w.redact(clip(strings.Join(bad, "; "), 500))))
		}
	}
	return draft, nil
}

// answer is what came back of one call.
type answer struct {
	text string
	cut  bool // the model ran out of room
}

var (
	errRefused = errors.New("the model refused")
	errEmpty   = errors.New("the server answered without a choice")
)

// ask makes one call; a server that refuses the schema gets a second one without it. It tells whether the schema was taken.
func (w *Writer) ask(ctx context.Context, messages []sdk.ChatCompletionMessageParamUnion, schema bool) (answer, bool, error) {
	params := sdk.ChatCompletionNewParams{Model: w.model, Messages: messages}
	if schema {
		params.ResponseFormat = sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "slideshow", Strict: sdk.Bool(true), Schema: draftSchema},
		}}
	}
	res, err := w.chat.New(ctx, params)
	if schema && refusesSchema(err) {
		return w.ask(ctx, messages, false)
	}
	if err != nil {
		return answer{}, schema, err
	}
	if len(res.Choices) == 0 {
		return answer{}, schema, errEmpty
	}
	c := res.Choices[0]
	if c.Message.Refusal != "" || c.FinishReason == "content_filter" {
		return answer{}, schema, errRefused
	}
	return answer{text: c.Message.Content, cut: c.FinishReason == "length"}, schema, nil
}

// refusesSchema tells the answers of servers that do not know response formats.
func refusesSchema(err error) bool {
	var api *sdk.Error
	if !errors.As(err, &api) {
		return false
	}
	return api.StatusCode == http.StatusBadRequest || api.StatusCode == http.StatusUnprocessableEntity || api.StatusCode == http.StatusNotImplemented
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + fmt.Sprintf(" [%d bytes more]", len(s)-n)
}
