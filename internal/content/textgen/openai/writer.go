// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// DefaultTimeout limits one Write with all of its calls.
	DefaultTimeout = 60 * time.Second

	maxAnswer = 2 << 20 // bytes of one response; a draft has a few kilobytes
)

// Config configures a Writer.
type Config struct {
	// BaseURL is the address without "/chat/completions", for example "http://localhost:11434/v1". Empty means
	// modelapi.DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the name of the model on the server.
	Model string
	// Timeout limits one Write; 0 means DefaultTimeout.
	Timeout time.Duration
	// HTTP is the transport; nil means http.DefaultTransport. Redirects are not followed.
	HTTP http.RoundTripper
}

// Writer writes drafts with a chat model.
type Writer struct {
	server  *modelapi.Server
	chat    sdk.ChatCompletionService
	model   string
	timeout time.Duration
}

var _ textgen.Writer = (*Writer)(nil)

// New returns a writer without sending a request. It returns an error if the model is missing or the base URL is
// unusable.
func New(c Config) (*Writer, error) {
	timeout := cmp.Or(c.Timeout, DefaultTimeout)
	server, err := modelapi.Open(modelapi.Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: timeout, MaxAnswer: maxAnswer, HTTP: c.HTTP,
	})
	if err != nil {
		return nil, fmt.Errorf("openai writer: %w", err)
	}
	return &Writer{server: server, chat: sdk.NewChatCompletionService(server.Options...), model: c.Model, timeout: timeout}, nil
}

// Write requests the slideshow from the model. All calls together are limited to the timeout.
func (w *Writer) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	if err := r.Validate(); err != nil {
		return textgen.Draft{}, err
	}
	want := languageOf(r)
	return converse(ctx, w, talk[textgen.Draft]{
		rules: rules(r, want), task: task(r), form: slideshowForm, what: "slides",
		read: func(a answer) (textgen.Draft, []string) { return read(r, w.model, want, a) },
	})
}

// talk is a prompt and the function that reads the response.
type talk[T any] struct {
	rules, task string
	form        form
	what        string // the requested content, for error messages
	read        func(answer) (T, []string)
}

// form is the JSON schema of a response.
type form struct {
	name   string
	schema object
}

// converse sends the prompt, and sends it once more with the defects if the response is unusable.
func converse[T any](ctx context.Context, w *Writer, t talk[T]) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	messages := []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage(t.rules), sdk.UserMessage(t.task)}
	answer, schema, err := w.ask(ctx, messages, &t.form)
	if err != nil {
		return none, w.failure(err)
	}
	made, bad := t.read(answer)
	if len(bad) > 0 {
		// Return only the beginning of a long response, which is enough to see its intent.
		messages = append(messages, sdk.AssistantMessage(clip(answer.text, 6000)), sdk.UserMessage(repair(bad)))
		answer, _, err = w.ask(ctx, messages, schema)
		if err != nil {
			return none, w.failure(err)
		}
		if made, bad = t.read(answer); len(bad) > 0 {
			return none, textgen.Fail("The language model returned no usable "+t.what, true, errors.New(w.server.Redact(clip(strings.Join(bad, "; "), 500))))
		}
	}
	return made, nil
}

// answer is the response of one call.
type answer struct {
	text string
	cut  bool // the model reached its length limit
}

var (
	errRefused = errors.New("the model refused")
	errEmpty   = errors.New("the server returned no choice")
)

// ask sends one request. If the server rejects the schema, ask repeats the request without it. It returns the schema
// that was used, or nil for none.
func (w *Writer) ask(ctx context.Context, messages []sdk.ChatCompletionMessageParamUnion, schema *form) (answer, *form, error) {
	params := sdk.ChatCompletionNewParams{Model: w.model, Messages: messages}
	if schema != nil {
		params.ResponseFormat = sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: schema.name, Strict: sdk.Bool(true), Schema: schema.schema},
		}}
	}
	done := modelapi.Begin("text", w.model)
	res, err := w.chat.New(ctx, params)
	done(err)
	if schema != nil && refusesSchema(err) {
		return w.ask(ctx, messages, nil)
	}
	if err != nil {
		return answer{}, schema, err
	}
	modelapi.Tokens("text", w.model, res.Usage.PromptTokens, res.Usage.CompletionTokens)
	if len(res.Choices) == 0 {
		return answer{}, schema, errEmpty
	}
	c := res.Choices[0]
	if c.Message.Refusal != "" || c.FinishReason == "content_filter" {
		return answer{}, schema, errRefused
	}
	return answer{text: c.Message.Content, cut: c.FinishReason == "length"}, schema, nil
}

// refusesSchema reports whether an error is that of a server that does not support response formats.
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
