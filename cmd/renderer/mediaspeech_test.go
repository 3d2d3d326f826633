// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

const hook = "Stop scrolling right now! This tiny gadget saves me two hours a week. Nobody talks about it."

func newSpeaker(t *testing.T, text, language, voice string) *desk {
	d := newDesk(t, order.Speak, "", nil)
	d.media.Input, d.media.Speech = nil, &order.Speech{Text: text, Language: language, Voice: voice}
	d.media.File = &order.Target{URL: d.url("/out/file")}
	return d
}

func newListener(t *testing.T, contentType string, content []byte, text string) *desk {
	d := newDesk(t, order.Listen, contentType, content)
	d.media.Speech = &order.Speech{Text: text}
	return d
}

// pauses returns the silences that ffmpeg finds in a sound: pairs of begin and end in seconds.
func pauses(t *testing.T, sound []byte) [][2]float64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound")
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "ffmpeg", "-hide_banner", "-nostats", "-i", path, "-af", "silencedetect=n=-42dB:d=0.2", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var out [][2]float64
	for line := range strings.Lines(string(said)) {
		if _, v, ok := strings.Cut(line, "silence_start: "); ok {
			at, _ := strconv.ParseFloat(strings.TrimSpace(v), 64)
			out = append(out, [2]float64{at, math.Inf(1)})
		}
		if _, v, ok := strings.Cut(line, "silence_end: "); ok {
			out[len(out)-1][1], _ = strconv.ParseFloat(strings.Fields(v)[0], 64)
		}
	}
	return out
}

// checkWords compares the times of the words of a result with the sound.
func checkWords(t *testing.T, text string, sound []byte, late float64, r *outcome.Media) {
	t.Helper()
	words := speech.Words(text)
	if len(r.Words) != 2*len(words) {
		t.Fatalf("got %d times for %d words", len(r.Words), len(words))
	}
	silences := pauses(t, sound)
	for i, w := range words {
		if r.Words[2*i+1] <= r.Words[2*i] {
			t.Errorf("%q is spoken from %d to %d ms", w, r.Words[2*i], r.Words[2*i+1])
		}
		if i == 0 || !strings.ContainsAny(words[i-1], ".!?।。") {
			continue
		}
		// The end of a sentence and the beginning of the next one are the ends of a silence.
		end, begin := float64(r.Words[2*i-1])/1000-late, float64(r.Words[2*i])/1000-late
		near := math.Inf(1)
		for _, s := range silences {
			near = min(near, max(math.Abs(s[0]-end), math.Abs(s[1]-begin)))
		}
		if near > 0.15 {
			t.Errorf("got the pause before %q from %.2f to %.2f s, the sound has %v", w, end, begin, silences)
		}
	}
	if last := r.Words[len(r.Words)-1]; last > r.DurationMilliseconds {
		t.Errorf("the last word ends at %d ms of %d", last, r.DurationMilliseconds)
	}
}

func TestSpeak_StoresSpeechAndTimes(t *testing.T) {
	for name, c := range map[string]struct{ text, language, voice string }{
		"English":                  {hook, "en", ""},
		"English, British":         {hook, "en-GB", "male"},
		"English by espeak":        {hook, "en-US", "en-us+f3"},
		"German":                   {"Hör sofort auf zu scrollen! Dieses kleine Gerät spart mir jede Woche zwei Stunden. Niemand spricht darüber.", "de", ""},
		"Brazilian":                {"Pare de rolar a tela! Este aparelhinho me poupa duas horas por semana. Ninguém fala disso.", "pt-BR", "female"},
		"Hindi":                    {"आप यह गलती रोज़ करते हैं। और किसी ने आपको नहीं बताया।", "hi", ""},
		"Arabic, labelled English": {"توقف عن التمرير الآن! هذه الأداة الصغيرة توفر لي ساعتين كل أسبوع.", "en", ""},
		"Chinese":                  {"今天天气很好。我们去公园玩吧。", "zh-Hans", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSpeaker(t, c.text, c.language, c.voice)
			code, out := d.look()
			if code != exitOK || out.Media == nil {
				t.Fatalf("got exit code %d, %+v", code, out.Error)
			}
			sound, r := d.stored["/out/file"], out.Media
			if r.ContentType != "audio/wav" || r.AudioCodec != "pcm_s16le" || r.Bytes != int64(len(sound)) || r.DurationMilliseconds < 2000 || r.DurationMilliseconds > 12000 {
				t.Errorf("%+v", r)
			}
			checkWords(t, c.text, sound, 0, r)
		})
	}
}

// TestSpeak_TreatsTextAsText speaks or refuses texts that look like options, files or markup.
func TestSpeak_TreatsTextAsText(t *testing.T) {
	for name, c := range map[string]struct {
		text, language, voice string
		refused               outcome.Reason
	}{
		"an option":                   {"-f /etc/passwd", "en", "", ""},
		"an option, German":           {"--stdout -w /tmp/x", "de", "", ""},
		"markup":                      {"<speak><break time='60s'/>hello</speak>", "de", "", ""},
		"phonemes":                    {"[[h@l'oU]] hello", "de", "", ""},
		"a zero byte":                 {"hel\x00lo there", "en", "", ""},
		"combining marks":             {"hello" + strings.Repeat("\u0301", 290), "es", "", ""},
		"emoji among words":           {"Wow 👩🏽‍🚀🔥 great", "en", "", ""},
		"one letter":                  {"a", "en", "", ""},
		"figures":                     {"50% off for $1,000,000.99!!!", "en", "", ""},
		"maximum length":              {strings.Repeat("word ", 60), "fr", "", ""},
		"lines":                       {"one\ntwo\r\nthree", "en", "", ""},
		"emoji alone":                 {"🔥🔥🔥", "en", "", outcome.Unspeakable},
		"marks alone":                 {"...?!", "de", "", outcome.Unspeakable},
		"an unknown voice":            {"hello", "en", "alloy", outcome.UnknownVoice},
		"a path as a voice":           {"hello", "de", "en+klatt:x", outcome.UnknownVoice},
		"a voice of another language": {"hallo", "de", "slt", outcome.UnknownVoice},
		"an unknown language":         {"สวัสดีครับ", "th", "", outcome.OtherLanguage},
		"Japanese with kanji":         {"今日はいい天気です", "ja", "", outcome.OtherLanguage},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSpeaker(t, c.text, c.language, c.voice)
			if c.refused != "" {
				d.refuses(outcome.ValidationFailed, c.refused, false)
				return
			}
			code, out := d.look()
			if code != exitOK || out.Media == nil {
				t.Fatalf("got exit code %d, %+v", code, out.Error)
			}
			if r := out.Media; r.DurationMilliseconds < 100 || r.DurationMilliseconds > 40_000 || len(r.Words) != 2*len(speech.Words(c.text)) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestSpeak_IsDeterministic(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		var sounds [2]string
		for i := range sounds {
			d := newSpeaker(t, hook, language, "")
			if code, out := d.look(); code != exitOK {
				t.Fatalf("%+v", out.Error)
			}
			sounds[i] = string(d.stored["/out/file"])
		}
		if sounds[0] != sounds[1] {
			t.Errorf("%s is spoken in two ways", language)
		}
	}
}

// TestListen_FindsWords listens to foreign speech, alone and in a clip whose sound begins after its frames.
func TestListen_FindsWords(t *testing.T) {
	d := newSpeaker(t, hook, "en", "")
	if code, out := d.look(); code != exitOK {
		t.Fatalf("%+v", out.Error)
	}
	wav := filepath.Join(t.TempDir(), "speech.wav")
	if err := os.WriteFile(wav, d.stored["/out/file"], 0o600); err != nil {
		t.Fatal(err)
	}
	noisy := encodeFile(t, "noisy.wav", "-i", wav, "-filter_complex", "anoisesrc=a=0.01:c=pink:r=16000:seed=3[n];[0:a][n]amix=inputs=2:duration=first:normalize=0")
	for name, c := range map[string]struct {
		contentType string
		content     []byte
		late        float64
	}{
		"MP3":                        {"audio/mpeg", encodeFile(t, "a.mp3", "-i", wav), 0.05}, // it begins with the delay of the codec
		"8 kHz":                      {"audio/wav", encodeFile(t, "a.wav", "-i", wav, "-ar", "8000"), 0},
		"a noisy room":               {"audio/wav", noisy, 0},
		"a video with the speech":    {"video/mp4", encodeFile(t, "a.mp4", "-i", wav, "-f", "lavfi", "-i", "color=s=64x64:r=30:d=9", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"), 0},
		"a sound track with a delay": {"video/mp4", encodeFile(t, "b.mp4", "-itsoffset", "0.7", "-i", wav, "-f", "lavfi", "-i", "color=s=64x64:r=30:d=9", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"), 0.7},
		"a WebM with the speech":     {"video/webm", encodeFile(t, "c.webm", "-i", wav, "-f", "lavfi", "-i", "color=s=64x64:r=30:d=9", "-c:v", "libvpx", "-c:a", "libopus"), 0},
		"half the volume":            {"audio/flac", encodeFile(t, "a.flac", "-i", wav, "-af", "volume=-25dB"), 0},
		"silence first":              {"audio/flac", encodeFile(t, "b.flac", "-i", wav, "-af", "adelay=1500"), 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := newListener(t, c.contentType, c.content, hook).look()
			if code != exitOK || out.Media == nil {
				t.Fatalf("got exit code %d, %+v", code, out.Error)
			}
			if r := out.Media; r.ContentType != c.contentType || r.AudioCodec == "" {
				t.Errorf("%+v", r)
			}
			checkWords(t, hook, d.stored["/out/file"], c.late, out.Media)
		})
	}
}

func TestListen_AcceptsSilence(t *testing.T) {
	silent := encodeFile(t, "a.wav", "-f", "lavfi", "-i", "anullsrc", "-t", "2")
	code, out := newListener(t, "audio/wav", silent, hook).look()
	if code != exitOK || out.Media == nil || len(out.Media.Words) != 0 || out.Media.DurationMilliseconds != 2000 {
		t.Errorf("got exit code %d, %+v %+v", code, out.Media, out.Error)
	}
	mute := encodeFile(t, "a.mp4", "-f", "lavfi", "-i", "color=s=64x64:d=1", "-c:v", "libx264")
	newListener(t, "video/mp4", mute, hook).refuses(outcome.ValidationFailed, outcome.NoSound, false)
}

func TestSpeak_SpeaksPassages(t *testing.T) {
	texts := []string{"Three teas for a calm evening.", "สวัสดีครับ", "1, Peppermint. It settles the stomach.", "3, Rooibos."}
	d := newSpeaker(t, "x", "en", "")
	d.media.Speech, d.media.File = nil, nil
	for i, text := range texts {
		p := order.Passage{ID: strconv.Itoa(i), Speech: order.Speech{Text: text, Language: "en"}, File: &order.Target{URL: d.url("/out/" + strconv.Itoa(i))}}
		d.media.Passages = append(d.media.Passages, p)
	}
	code, out := d.look()
	if code != exitOK || out.Media == nil || len(out.Media.Passages) != len(texts) {
		t.Fatalf("got exit code %d, %+v", code, out)
	}
	for i, p := range out.Media.Passages {
		sound := d.stored["/out/"+strconv.Itoa(i)]
		if i == 1 {
			if p.Refused != outcome.OtherLanguage || sound != nil {
				t.Errorf("an unknown language: got %+v, %d bytes", p, len(sound))
			}
			continue
		}
		if p.Refused != "" || p.Bytes != int64(len(sound)) {
			t.Errorf("passage %d: got %+v, %d bytes stored", i, p, len(sound))
		}
		checkWords(t, texts[i], sound, 0, &outcome.Media{Words: p.Words, DurationMilliseconds: p.DurationMilliseconds})
	}

	d = newListener(t, "audio/wav", d.stored["/out/0"], "x")
	d.media.Passages = []order.Passage{{ID: "0", Speech: order.Speech{Text: texts[0]}, Input: d.media.Input}}
	d.media.Speech, d.media.Input = nil, nil
	if code, heard := d.look(); code != exitOK || cmp.Diff(out.Media.Passages[:1], heard.Media.Passages) != "" {
		t.Errorf("got exit code %d, words %+v", code, heard)
	}

	d = newSpeaker(t, "x", "en", "")
	d.media.Passages = []order.Passage{{ID: "0", Speech: order.Speech{Text: "Hello", Voice: "alloy"}, File: d.media.File}}
	d.media.Speech, d.media.File = nil, nil
	d.refuses(outcome.ValidationFailed, outcome.UnknownVoice, false)
}
