// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/mediawork"
	"github.com/reelops/reelops/internal/speech"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"Stop!  Go\ton.":                    "Stop! Go on.",
		"<b>[[h@]] {x}\\n `y` *z* ~":        "b h@ x n y z",
		"don’t — wait… “now”":               "don't , wait. now",
		"a\x00b\u202ec\u200bd\ufffde":       "abcde",
		"🔥 hot 👩🏽‍🚀":                        "hot",
		"e" + strings.Repeat("\u0301", 300): "é" + strings.Repeat("\u0301", maxMarks),
		"50 % für 20 €":                     "50 % für 20 €",
		"क्षि می\u200cخواهم":                "क्षि می\u200cخواهم",
		"\xff\xfe":                          "",
	} {
		if got := strings.TrimRight(plain(in), "\u200d "); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{"café naïve": "cafe naive", "£20 & 5€": "pounds 20 and 5 euros", "ﬁne ½": "fine 1 2", "今日": ""} {
		if got := ascii(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ text, named, want string }{
		{"Hello there", "en-GB", "en-GB"},
		{"Hola a todos", "es-419", "es-419"},
		{"Привет", "en", "ru"},
		{"Привіт", "uk", "uk"},
		{"مرحبا", "en", "ar"},
		{"سلام", "fa", "fa"},
		{"今日は天気", "en", "ja"},
		{"今天", "zh-Hant-HK", "zh-Hant-HK"},
		{"会議", "ja", "ja"},
		{"ワオ", "zh", "ja"},
		{"안녕", "", "ko"},
		{"123", "de", "de"},
		{"Hello there, how are you today my friend", "", "en"},
		{"Guten Tag, wie geht es Ihnen heute und was machen wir", "", "de"},
		{"Hello", "no such tag!", "en"},
	} {
		if got := languageOf(c.text, c.named); got != language.Make(c.want) {
			t.Errorf("%q, named %q, is %v, want %s", c.text, c.named, got, c.want)
		}
	}
}

// Every name that a language is spoken under is one that the program has.
func TestLanguagesAreSpoken(t *testing.T) {
	tools := Tools{Scratch: t.TempDir()}
	for tag, want := range map[string]string{
		"de": "de", "de-AT": "de", "fr": "fr-fr", "fr-CA": "fr-fr", "fr-CH": "fr-ch", "es": "es", "es-419": "es-419", "pt-BR": "pt-br", "pt": "pt-br", "pt-PT": "pt",
		"zh-Hans": "cmn-latn-pinyin", "zh-Hant-TW": "cmn-latn-pinyin", "zh-Hant-HK": "yue", "no": "nb", "nb": "nb", "he": "he", "hi": "hi", "ar-EG": "ar", "vi": "vi", "ko": "ko",
		"id": "id", "tr": "tr", "uk": "uk", "en-US": "en-us", "en-GB": "en-gb", "ja": "ja", "sw": "sw",
	} {
		got, err := tools.espeakVoice(t.Context(), language.Make(tag), "")
		if err != nil || got != want {
			t.Errorf("%s is spoken by %q, %v, want %s", tag, got, err, want)
		}
	}
	var r *Refusal
	if _, err := tools.espeakVoice(t.Context(), language.Make("tl"), ""); !errors.As(err, &r) || r.Reason != mediawork.OtherLanguage {
		t.Errorf("a language that nobody speaks: %v", err)
	}
}

// A child that does not end, or says too much, is ended; nothing of this process reaches it.
func TestChildrenAreBounded(t *testing.T) {
	t.Setenv("SECRET", "s3cret")
	script := func(body string) string {
		path := filepath.Join(t.TempDir(), "espeak-ng")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const voices = `case "$1" in --voices*) printf 'Pty Language x y z\n 5 de --/M German gmw/de\n'; exit;; esac` + "\n"
	say := func(ctx context.Context, body string) (string, error) {
		out := filepath.Join(t.TempDir(), "out.wav")
		err := Tools{Espeak: script(voices + body), Scratch: t.TempDir()}.Speak(ctx, speech.Request{Text: "Hallo", Language: "de"}, out)
		doc, _ := os.ReadFile(out)
		return string(doc), err
	}
	var r *Refusal
	if _, err := say(t.Context(), "exec cat /dev/zero"); !errors.As(err, &r) || r.Reason != mediawork.TooComplex {
		t.Errorf("a program without an end: %v", err)
	}
	if _, err := say(t.Context(), "kill -9 $$"); !errors.Is(err, ErrKilled) {
		t.Errorf("a program that was killed: %v", err)
	}
	if _, err := say(t.Context(), "exit 3"); err == nil || errors.As(err, &r) {
		t.Errorf("a program that fails: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := say(ctx, "exec sleep 60"); !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("a program whose caller is gone: %v", err)
	}
	doc, err := say(t.Context(), `env; echo "args: $@"; echo "text: $(cat)"; ulimit -v; ulimit -t`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(doc, "s3cret") || !strings.Contains(doc, "text: Hallo") || strings.Contains(strings.SplitN(doc, "text:", 2)[0], "Hallo") || !strings.Contains(doc, "524288\n20") {
		t.Errorf("the child was given %s", doc)
	}
}
