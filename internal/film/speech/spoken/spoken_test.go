// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/work/outcome"
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
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{"café naïve": "cafe naive", "£20 & 5€": "pounds 20 and 5 euros", "ﬁne ½": "fine 1 2", "今日": ""} {
		if got := ascii(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// figureless are texts for languages in which espeak-ng reads no figures.
var figureless = map[string]string{"cv": "салам мама", "he": "שלום", "nog": "салам мама", "qya": "mellon", "sjn": "mellon", "tk": "salam"}

// Every published voice exists and speaks every language that it names, and the list is complete.
func TestSpeak_EveryPublishedVoice(t *testing.T) {
	tools := Tools{Scratch: t.TempDir()}
	for _, v := range (voices.Set{}).All() {
		tags := v.Languages
		if len(tags) == 0 {
			tags = []string{"en", "de", "zh"}
		}
		for _, tag := range tags {
			out := filepath.Join(t.TempDir(), "out.wav")
			err := tools.Speak(t.Context(), speech.Request{Text: cmp.Or(figureless[tag], "2 3"), Language: tag, Voice: v.Name}, out)
			if err != nil {
				t.Errorf("%s in %s: got %v", v.Name, tag, err)
				continue
			}
			if n := size(t, out); n < 4000 {
				t.Errorf("%s in %s: got %d bytes, want speech", v.Name, tag, n)
			}
		}
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	i, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return i.Size()
}

// Every voice of espeak-ng or flite is published, except mute ones and those whose name cannot be written in a
// request. A variant can be named too.
func TestVoices_AreThoseOfThePrograms(t *testing.T) {
	known := func(name string) bool {
		_, fault := voices.Choose(name, language.Und)
		return fault == nil
	}
	for _, f := range columns(t, "espeak-ng", "--voices") {
		if name := f[1]; name == strings.ToLower(name) && name != "th" && !known(name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, f := range columns(t, "espeak-ng", "--voices=variant") {
		for _, name := range f {
			if v, ok := strings.CutPrefix(name, "!v/"); ok && v != "Mr" && !known("de+"+v) {
				t.Errorf("de+%s is missing", v)
			}
		}
	}
	listed, err := exec.CommandContext(t.Context(), "flite", "-lv").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range (voices.Set{}).All() {
		if c, _ := voices.Choose(v.Name, language.Und); c.Program == voices.Flite && !strings.Contains(string(listed)+" ", " "+c.Voice+" ") {
			t.Errorf("flite lacks %s: %s", c.Voice, listed)
		}
	}
}

// columns are the fields of the lines of one of espeak-ng's lists.
func columns(t *testing.T, name string, args ...string) [][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for i, line := range strings.Split(string(out), "\n") {
		if f := strings.Fields(line); i > 0 && len(f) >= 5 {
			rows = append(rows, f)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s %v lists nothing: %s", name, args, out)
	}
	return rows
}

// A child that does not end, or writes too much, is killed. It inherits nothing from this process.
func TestRun_BoundsPrograms(t *testing.T) {
	t.Setenv("SECRET", "s3cret")
	script := func(body string) string {
		path := filepath.Join(t.TempDir(), "espeak-ng")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	say := func(ctx context.Context, body string) (string, error) {
		out := filepath.Join(t.TempDir(), "out.wav")
		err := Tools{Espeak: script(body), Scratch: t.TempDir()}.Speak(ctx, speech.Request{Text: "Hallo", Language: "de"}, out)
		doc, _ := os.ReadFile(out)
		return string(doc), err
	}
	var r *Refusal
	if _, err := say(t.Context(), "exec cat /dev/zero"); !errors.As(err, &r) || r.Reason != outcome.TooComplex {
		t.Errorf("a program without an end: got %v", err)
	}
	if _, err := say(t.Context(), "kill -9 $$"); !errors.Is(err, ErrKilled) {
		t.Errorf("a killed program: got %v", err)
	}
	if _, err := say(t.Context(), "exit 3"); err == nil || errors.As(err, &r) {
		t.Errorf("a failing program: got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := say(ctx, "exec sleep 60"); !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled program: got %v", err)
	}
	doc, err := say(t.Context(), `env; echo "args: $@"; echo "text: $(cat)"; ulimit -v; ulimit -t`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(doc, "s3cret") || !strings.Contains(doc, "text: Hallo") || strings.Contains(strings.SplitN(doc, "text:", 2)[0], "Hallo") || !strings.Contains(doc, "524288\n20") {
		t.Errorf("the child got %s", doc)
	}
}
