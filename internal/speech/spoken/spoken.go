// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/reelops/reelops/internal/child"
	"github.com/reelops/reelops/internal/mediawork"
	"github.com/reelops/reelops/internal/speech"
)

// ContentType of what is made.
const ContentType = "audio/wav"

// Tools are the programs and what they may use.
type Tools struct {
	// Flite and Espeak are the programs; default flite and espeak-ng of the path.
	Flite, Espeak string
	// Scratch is an existing folder for the text.
	Scratch string
}

// Refusal says that a text cannot be said here; another try gives the same answer.
type Refusal struct {
	Reason mediawork.Reason
	// Message is a sentence for people. It repeats nothing of the text.
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Voices of flite, by the names it has for them and two that anybody guesses.
var fliteVoices = map[string]string{"": "slt", "slt": "slt", "rms": "rms", "awb": "awb", "kal": "kal", "kal16": "kal16", "female": "slt", "male": "rms"}

// Pace of the programs. A hook is said a little faster than they do.
const (
	fliteStretch = "0.92"
	espeakWords  = "170" // a minute
)

// Speak says a text and writes a WAV file. The errors are *Refusal for the text, the voice and the language, ErrKilled, or the
// context's.
func (t Tools) Speak(ctx context.Context, r speech.Request, out string) error {
	text := plain(r.Text)
	if len(speech.Words(text)) == 0 {
		return &Refusal{mediawork.Unspeakable, "There is nothing in the text that can be said."}
	}
	tag := languageOf(text, r.Language)
	base, _ := tag.Base()
	voice, flite := fliteVoices[strings.ToLower(r.Voice)]
	if flite && r.Voice != "" && base.String() != english && !generic(r.Voice) {
		return &Refusal{mediawork.UnknownVoice, fmt.Sprintf("The voice %s speaks English alone.", r.Voice)}
	}
	if base.String() == english && flite {
		text = ascii(text)
		if len(speech.Words(text)) == 0 {
			return &Refusal{mediawork.Unspeakable, "There is nothing in the text that can be said."}
		}
		return t.flite(ctx, text, voice, out)
	}
	if unspeakable(text, tag) {
		return otherLanguage()
	}
	name, err := t.espeakVoice(ctx, tag, r.Voice)
	if err != nil {
		return err
	}
	sound := &child.Bounded{Limit: maxOutput}
	err = t.runTo(ctx, strings.NewReader(text+"\n"), sound, child.Files{}, orName(t.Espeak, "espeak-ng"), "-b", "1", "-z", "-s", espeakWords, "-v", name, "--stdout", "--stdin")
	if errors.Is(err, child.ErrTooMuch) {
		return tooLong()
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, speech.WholeWAV(sound.Bytes), 0o600)
}

func otherLanguage() *Refusal {
	return &Refusal{mediawork.OtherLanguage, "The package that speaks without a speech service does not know the language of the text well enough."}
}

func generic(voice string) bool {
	return strings.EqualFold(voice, "female") || strings.EqualFold(voice, "male")
}

// flite is given a file: what it reads from its input it does not take as a whole.
func (t Tools) flite(ctx context.Context, text, voice, out string) error {
	dir, err := os.MkdirTemp(t.Scratch, "text-")
	if err != nil {
		return fmt.Errorf("creating a folder for the text: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "text")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return fmt.Errorf("writing the text: %w", err)
	}
	return t.run(ctx, nil, child.Files{Read: []string{file}, Write: []string{out}}, orName(t.Flite, "flite"), "-voice", voice, "--setf", "duration_stretch="+fliteStretch, "-f", file, "-o", out)
}

func orName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// named is what may name a voice of espeak-ng, with a variant behind the sign.
var named = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_.:-]*)(?:\+([A-Za-z0-9_-]+))?$`)

// espeakVoice finds the voice that was asked for, or one for the language.
func (t Tools) espeakVoice(ctx context.Context, tag language.Tag, asked string) (string, error) {
	known, err := t.listed(ctx, "--voices")
	if err != nil {
		return "", err
	}
	own := ""
	for _, name := range speaks(tag) {
		if slices.Contains(known, name) {
			own = name
			break
		}
	}
	switch {
	case own == "" && (asked == "" || generic(asked)):
		return "", otherLanguage()
	case asked == "" || strings.EqualFold(asked, "male"):
		return own, nil
	case strings.EqualFold(asked, "female"):
		return own + "+f3", nil
	}
	unknown := &Refusal{mediawork.UnknownVoice, "There is no voice of that name among those of the package that speaks without a speech service."}
	m := named.FindStringSubmatch(asked)
	if m == nil || !slices.Contains(known, strings.ToLower(m[1])) {
		return "", unknown
	}
	if m[2] == "" {
		return strings.ToLower(m[1]), nil
	}
	variants, err := t.listed(ctx, "--voices=variant")
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(variants, func(v string) bool { return strings.EqualFold(v, m[2]) }); i >= 0 {
		return strings.ToLower(m[1]) + "+" + variants[i], nil
	}
	return "", unknown
}

// listed reads the names in one of espeak-ng's lists: languages, or files of variants.
func (t Tools) listed(ctx context.Context, option string) ([]string, error) {
	said := &child.Bounded{Limit: 1 << 20}
	if err := t.runTo(ctx, nil, said, child.Files{}, orName(t.Espeak, "espeak-ng"), option); err != nil {
		return nil, err
	}
	var out []string
	for i, line := range strings.Split(string(said.Bytes), "\n") {
		f := strings.Fields(line)
		switch {
		case i == 0 || len(f) < 5:
		case option == "--voices":
			out = append(out, f[1])
		default:
			for _, v := range f {
				if name, ok := strings.CutPrefix(v, "!v/"); ok {
					out = append(out, name)
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("espeak-ng names no voices")
	}
	return out, nil
}
