// SPDX-License-Identifier: Apache-2.0

package meaning

import "strings"

// faint holds the stems of words that occur in texts of every kind and contribute little to the choice of an image.
var faint = stemSet(`idea ideas tips tip facts fact explained guide beginners beginner background backgrounds wallpaper picture
pictures photo photos image images video videos clip footage vibe vibes aesthetic setup days day life best top easy things
week weeks month months year years hour hours minute minutes second seconds today tomorrow monday tuesday wednesday
thursday friday saturday sunday number numbers word words content post reel view views big great good favourite favorite better`)

// tones holds the stems of words for a look or a mood. An image does not show a subject because its tone fits.
var tones = stemSet(`warm cold cool fresh dark bright light pale soft hard minimal clean simple pure bold elegant luxury premium
cosy pastel colourful vivid moody dramatic playful modern retro vintage golden gold silver red orange yellow green teal
turquoise blue navy indigo violet purple water calm quiet magenta pink rose peach coral cream beige brown terracotta black white grey gray
pattern texture background abstract morning evening day night summer winter autumn spring season wellness health nature`)

// vague holds the stems of words for whole fields. In a text that also names something specific, they count less.
var vague = stemSet(`study learn read work home family kids health technology nature paper craft water city business buy`)

// loose holds the stems of words that usually have another meaning than their image: a study is not a desk, a plan is
// not a drawing board, and a solution that works well is not an office.
var loose = stemSet(`work run walk plan move rest set order open charge change fast store stock share save line site course
study report check board match table light power person people hand key note card point trip holiday break date drink cut
free team play game post record sound voice speak talk ring park stage press fall race track class space train party stack
star hot head cold speed scroll screen message service place page question answer group member care glow story event glass
local grow review product offer time sun box list rich print pop field bar stand chair king queen target goal`)

// international holds words with the same meaning in most languages. Any other keyword that occurs in a text of another
// language is a word of that language: in French, "chat" means cat.
var international = set(`laptop smartphone tablet computer internet email podcast marathon yoga pizza sushi ramen smoothie
cappuccino espresso croissant tennis basketball golf camping festival hotel sneakers taxi robot museum jazz tango dj ai app
software online bitcoin crypto`)

// sayings maps phrases with a meaning of their own to the stems that fit them.
var sayings = phrasesOf(`
machine learning, deep learning, artificial intelligence, language model: ai technology data network science
cloud backup, cloud backups, cloud storage, cloud computing: data server technology network
house for sale, home for sale, flat for sale, apartment for sale: house property real-estate home
board member, board members: meeting office business team
opening hours, opening times, business hours: clock time schedule
book now, book online, book here, to book, book a table, book your: calendar appointment
never give up, keep going, do not quit, hard work: motivation strength hope energy mountains
`)

// wordSet returns the set of words of a text in lower case.
func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for _, part := range clauses(text, len(text)) {
		for _, w := range part {
			out[w] = true
		}
	}
	return out
}

func stemSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, s := range stems(words) {
		out[s] = true
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
			out[strings.TrimSpace(phrase)] = stems(to)
		}
	}
	return out
}
