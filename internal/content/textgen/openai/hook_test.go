// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/content/textgen"
)

const goodHook = `{"language":"en","hook":"\"Your tea was picked by hand.\"","title":"By hand","caption":"Tea that was picked by hand.","tags":["#Tea","leaf","garden"]}`

func TestHook_IsRequested(t *testing.T) {
	w, calls := server(t, respondWith("Sure! ```json\n"+goodHook+"\n```"))
	r := textgen.HookRequest{Seed: "s1", Brand: textgen.Brand{Name: "Acme Tea", ValuePoints: []string{"Every leaf of the tea is picked by hand"}, BannedWords: []string{"cheap"}}}
	d, err := w.WriteHook(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := textgen.HookDraft{Language: "en", Hook: "Your tea was picked by hand.", Title: "By hand", Caption: "Tea that was picked by hand.", Tags: []string{"tea", "leaf", "garden"}, Model: "test-model"}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	c := calls()[0]
	if len(c.Messages) != 2 || c.ResponseFormat == nil || !strings.Contains(c.Messages[0].Content, "speaks a hook") {
		t.Errorf("got %+v", c)
	}
	for _, word := range []string{"Acme Tea", "picked by hand", "cheap", `"variation":"s1"`} {
		if !strings.Contains(c.Messages[1].Content, word) {
			t.Errorf("the prompt lacks %s: %s", word, c.Messages[1].Content)
		}
	}
}

func TestHook_GivenHookIsKept(t *testing.T) {
	w, calls := server(t, respondWith(goodHook))
	r := textgen.HookRequest{Hook: "I stopped buying pods", Caption: "Mine", KeepTags: true, Brand: textgen.Brand{Name: "Acme", BannedWords: []string{"pods"}}}
	d, err := w.WriteHook(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if d.Hook != r.Hook || d.Caption != "Mine" || d.Title != "By hand" || len(d.Tags) != 0 || len(calls()) != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestHook_IsRepairedOnce(t *testing.T) {
	long := strings.Replace(goodHook, "Your tea", strings.Repeat("Your tea ", 40), 1)
	w, calls := server(t, respondWith(long), respondWith(goodHook))
	if _, err := w.WriteHook(context.Background(), textgen.HookRequest{Brand: textgen.Brand{Name: "Acme Tea"}}); err != nil {
		t.Fatal(err)
	}
	if c := calls(); len(c) != 2 || !strings.Contains(c[1].Messages[3].Content, "at most 300") {
		t.Errorf("the second call lacks the error: %+v", c)
	}
	for why, answer := range map[string]string{
		"a banned word":    strings.ReplaceAll(goodHook, "picked by hand", "cheap"),
		"another language": strings.Replace(goodHook, "Your tea was picked by hand.", "Dieser Tee wurde von Hand gepflückt und in der Sonne getrocknet, und das schmeckt man.", 1),
		"not an object":    "I would rather not",
	} {
		w, _ := server(t, respondWith(answer))
		_, err := w.WriteHook(context.Background(), textgen.HookRequest{Language: "en", Brand: textgen.Brand{Name: "Acme Tea", BannedWords: []string{"cheap"}}})
		var e *textgen.Error
		if !errors.As(err, &e) || !e.Retryable || e.Message != "The language model returned no usable hook" {
			t.Errorf("%s: got %v", why, err)
		}
	}
}
