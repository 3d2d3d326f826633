// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/offline"
)

// author writes as the offline writer does, except that a context can make it fail or wait.
var author = &writer{Texts: offline.New()}

// Contexts with a special effect on the author.
const (
	unwritable     = "This cannot be written at all, whoever tries and however often."
	unwritableOnce = "This cannot be written today, but tomorrow it may be."
	modelled       = "This is written by a language model, which has words of its own."
	unready        = "This waits for a language model that is being downloaded."
)

type writer struct {
	textgen.Texts
	mu   sync.Mutex
	held map[string]chan struct{}
}

// hold makes the author wait before it writes about a context, until release is called.
func (w *writer) hold(about string) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		w.held = map[string]chan struct{}{}
	}
	gate := make(chan struct{})
	w.held[about] = gate
	return sync.OnceFunc(func() { close(gate) })
}

// Write writes the text of a slideshow.
func (w *writer) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	about := strings.TrimSpace(r.Context)
	if err := mood(about); err != nil {
		return textgen.Draft{}, err
	}
	w.mu.Lock()
	gate := w.held[about]
	w.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return textgen.Draft{}, textgen.Fail("The writer was stopped", true, ctx.Err())
		}
	}
	if about == modelled {
		d, err := w.Texts.Write(ctx, textgen.Request{Context: habits, SlideCount: r.SlideCount})
		d.Model = "llama3.2"
		return d, err
	}
	return w.Texts.Write(ctx, r)
}

// WriteHook writes the texts for a hook.
func (w *writer) WriteHook(ctx context.Context, r textgen.HookRequest) (textgen.HookDraft, error) {
	if err := mood(strings.TrimSpace(r.Hook)); err != nil {
		return textgen.HookDraft{}, err
	}
	return w.Texts.WriteHook(ctx, r)
}

func mood(about string) error {
	switch about {
	case unwritable:
		return textgen.Fail("The writer has no words for this", false, nil)
	case unready:
		return textgen.NotReady("The server does not serve the language model, or not yet", nil)
	case unwritableOnce:
		return textgen.Fail("The writer does not answer", true, nil)
	}
	return nil
}
