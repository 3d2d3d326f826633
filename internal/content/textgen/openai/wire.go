// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

// wireDraft is the model's response.
type wireDraft struct {
	Language string      `json:"language"`
	Title    string      `json:"title"`
	Caption  string      `json:"caption"`
	Tags     []string    `json:"tags"`
	Slides   []wireSlide `json:"slides"`
}

type wireSlide struct {
	Role     string   `json:"role"`
	Heading  string   `json:"heading"`
	Body     string   `json:"body"`
	AltText  string   `json:"alt_text"`
	Keywords []string `json:"keywords"`
}

type object = map[string]any

var slideshowForm = form{"slideshow", draftSchema}

// draftSchema uses only keywords that strict mode supports. Lengths and counts are checked after decoding.
var draftSchema = object{
	"type": "object", "additionalProperties": false, "required": []string{"language", "title", "caption", "tags", "slides"},
	"properties": object{
		"language": object{"type": "string"}, "title": object{"type": "string"}, "caption": object{"type": "string"},
		"tags": object{"type": "array", "items": object{"type": "string"}},
		"slides": object{"type": "array", "items": object{
			"type": "object", "additionalProperties": false, "required": []string{"role", "heading", "body", "alt_text", "keywords"},
			"properties": object{
				"role":    object{"type": "string", "enum": []string{string(textgen.RoleHook), string(textgen.RolePoint), string(textgen.RoleCallToAction)}},
				"heading": object{"type": "string"}, "body": object{"type": "string"}, "alt_text": object{"type": "string"},
				"keywords": object{"type": "array", "items": object{"type": "string"}},
			},
		}},
	},
}

// read returns the draft of a response and its defects.
func read(r textgen.Request, model, want string, a answer) (textgen.Draft, []string) {
	if a.cut {
		return textgen.Draft{}, []string{"The answer was cut off; write less"}
	}
	w, ok := decode(a.text, func(w wireDraft) bool { return len(w.Slides) > 0 })
	if !ok {
		return textgen.Draft{}, []string{"The answer is not one JSON object of the given shape"}
	}
	d := textgen.Draft{Language: strings.TrimSpace(w.Language), Title: plain(w.Title), Caption: plain(w.Caption), Model: model}
	for _, s := range w.Slides {
		slide := textgen.Slide{Role: textgen.Role(s.Role), Heading: plain(s.Heading), Body: plain(s.Body), AltText: plain(s.AltText)}
		if slide.AltText == "" {
			slide.AltText = strings.TrimSpace(slide.Heading + " " + slide.Body)
		}
		if textgen.Fold(slide.Body) == textgen.Fold(slide.Heading) {
			slide.Body = ""
		}
		slide.Keywords = words(s.Keywords, textgen.MaxKeywords)
		d.Slides = append(d.Slides, slide)
	}
	d.Tags = words(w.Tags, textgen.MaxTags)
	if r.Title != "" {
		d.Title = r.Title
	}
	if r.Caption != "" {
		d.Caption = r.Caption
	}
	if !r.WantsTags() {
		d.Tags = r.Tags
	}
	if want != "" {
		d.Language = want
	} else if lang.Base(d.Language) == "" {
		d.Language = lang.Unknown
	}
	bad := append(textgen.Check(r, d), fewTags(r.WantsTags(), d.Tags)...)
	if word := textgen.FindBanned(r, d); word != "" {
		bad = append(bad, fmt.Sprintf("The banned word %q is used", word))
	}
	if found := otherLanguage(d, want); found != "" {
		bad = append(bad, fmt.Sprintf("The slides must be in the language %q, they seem to be in %q", want, found))
	}
	return d, bad
}

// fewTags returns a defect if the request wants tags and the model returned fewer than MinTags.
func fewTags(wanted bool, tags []string) []string {
	if !wanted || len(tags) >= textgen.MinTags {
		return nil
	}
	return []string{fmt.Sprintf("There must be %d to %d tags, not %d", textgen.MinTags, textgen.MaxTags, len(tags))}
}

// otherLanguage returns the detected language of the slides if it clearly differs from the required one, else "".
func otherLanguage(d textgen.Draft, want string) string {
	var text []string
	for _, s := range d.Slides {
		text = append(text, s.Heading, s.Body)
	}
	all := strings.Join(text, "\n")
	if want == "" || utf8.RuneCountInString(all) < 60 {
		return ""
	}
	if found := lang.Detect(all, want); lang.Base(found) != "" && lang.Base(found) != lang.Base(want) {
		return found
	}
	return ""
}

var thinking = regexp.MustCompile(`(?s)<think>.*?</think>`)

// decode returns the first usable JSON object in a response, which may have prose, code fences or reasoning around it.
func decode[T any](text string, usable func(T) bool) (T, bool) {
	text = thinking.ReplaceAllString(text, "")
	for tries := 0; tries < 20; tries++ {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		var w T
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&w); err == nil && usable(w) {
			return w, true
		}
		text = text[1:]
	}
	var none T
	return none, false
}

var marks = strings.NewReplacer("**", "", "__", "", "`", "", "\r", "")

// plain returns a text without the markup that models add.
func plain(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(marks.Replace(s), "")), " ")
}

// words returns at most n words in lower case, without '#' and without duplicates.
func words(in []string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range in {
		w = strings.ToLower(strings.Trim(plain(w), "# ,."))
		if key := textgen.Fold(w); w != "" && !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}
