// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"strings"

	"github.com/reelops/reelops/internal/imagery"
)

// faint holds the stems of words that people write with everything and that say little about a picture.
var faint = stemSet(`idea ideas tips tip facts fact explained guide beginners beginner background backgrounds wallpaper picture
pictures photo photos image images video videos clip footage vibe vibes aesthetic setup days day life best top easy things
content post reel view views big great good favourite favorite better`)

// Words that the lists of package imagery do not have: left what people look for, right what then fits, the best first.
var topics = lists(`
breakup heartbreak divorce goodbye: rain moody fog quiet storm sad
loss mourning funeral: rain moody fog quiet candle
volcano lava eruption flame blaze explosion: fire red dramatic
jog jogging runner: sunrise morning motivation energy
`)

// Sayings that mean something else than their words.
var sayings = phrasesOf(`
machine learning, deep learning, artificial intelligence, language model: ai technology data network science
never give up, keep going, do not quit, hard work: motivation strength hope energy mountains
`)

func stemSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, s := range imagery.Stems(words) {
		out[s] = true
	}
	return out
}

func lists(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		from, to, _ := strings.Cut(line, ":")
		fits := imagery.Stems(to)
		for _, s := range imagery.Stems(from) {
			out[s] = append(out[s], fits...)
		}
	}
	return out
}

func phrasesOf(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		from, to, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for phrase := range strings.SplitSeq(from, ",") {
			out[strings.TrimSpace(phrase)] = imagery.Stems(to)
		}
	}
	return out
}
