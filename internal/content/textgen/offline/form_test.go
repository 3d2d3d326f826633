// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/content/textgen"
)

// slidesOf returns the slides of a text, heading and body separated by " | ".
func slidesOf(d textgen.Draft) []string {
	var out []string
	for _, s := range d.Slides {
		out = append(out, strings.TrimSuffix(s.Heading+" | "+s.Body, " | "))
	}
	return out
}

// Texts keep their form: a list, a quotation, or a question with its answer is one on the slides as well.
func TestWrite_KeepsTheFormOfAText(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one-word sentences": {
			"STOP. ASKING. ME. TO. SUBSCRIBE.\nI only want to read one recipe. Do you feel the same?",
			[]string{"STOP. ASKING. ME. TO. SUBSCRIBE.", "I only want to read one recipe", "Do you feel the same?"},
		},
		"ingredients and steps": {
			"Pancakes\n\nIngredients:\n- 250 g ricotta\n- 3 eggs\n- 100 g flour\n\nSteps:\n1. Mix everything.\n2. Fry for 2-3 min on each side of the pan.",
			[]string{
				"Pancakes", "Ingredients | 250 g ricotta\n3 eggs\n100 g flour", "Steps | 1. Mix everything.\n2. Fry for 2-3 min on each side of the pan.",
				"Save this for later | Follow for more",
			},
		},
		"prices and a link": {
			"Barber Bros\n\nHaircut: $28\nBeard trim: $15\n\nStar us on github.com/barber/bros. #barber #hair",
			[]string{"Barber Bros", "Haircut: $28\nBeard trim: $15", "Star us on github.com/barber/bros"},
		},
		"a quotation and who it is from": {
			"“You have power over your mind – not outside events. Realize this, and you will find strength.”\n— Marcus Aurelius",
			[]string{
				"“You have power over your mind – not outside events.”",
				"“Realize this, and you will find strength.” | — Marcus Aurelius", "Save this for later | Follow for more",
			},
		},
		"an invitation after a question": {
			"You want to read one email. Two hours later you read about eels.\n\nWho else does this? Tag your eel friend 👇",
			[]string{"You want to read one email", "Two hours later you read about eels", "Who else does this? | Tag your eel friend 👇"},
		},
		"a thread, which opens with its first post": {
			"1/ I read 100 landing pages last month. Here is what the best have in common.\n2/ They name the customer.\n3/ One button. Not three.\n4/ Which is the best of all? Tell me below.",
			[]string{
				"1. I read 100 landing pages last month | Here is what the best have in common", "2. They name the customer",
				"3. One button | Not three", "4. Which is the best of all? | Tell me below",
			},
		},
		"a list of pairs without a headline": {
			"Haircut: $28\nBeard trim: $15\nBoth: $38",
			[]string{"Haircut: $28\nBeard trim: $15", "Both: $38", "Save this for later | Follow for more"},
		},
		"a Japanese call": {
			"忙しい人のための朝ごはん。前の夜に準備して、朝は温めるだけ。見返せるように保存してね。",
			[]string{"忙しい人のための朝ごはん", "前の夜に準備して、朝は温めるだけ", "見返せるように保存してね"},
		},
		"questions and answers": {
			"Moving to us\n\nQ: Will my site be offline?\nA: No. We copy it first.\nQ: What does it cost?\nA: Nothing.",
			[]string{
				"Moving to us", "Will my site be offline? | No. We copy it first.", "What does it cost? | Nothing",
				"Save this for later | Follow for more",
			},
		},
		"verse": {
			"Fog\n\nThe fog comes in\non quiet socks,\nit folds the harbour\nand the docks.",
			[]string{"Fog", "The fog comes in\non quiet socks,\nit folds the harbour\nand the docks.", "Save this for later | Follow for more"},
		},
	} {
		if diff := cmp.Diff(c.want, slidesOf(write(t, textgen.Request{Context: c.text}))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Twelve points for ten slides are shown in pairs with equal size.
func TestWrite_SetsPointsOfALongListEvenly(t *testing.T) {
	text := "12 rules of the house"
	for i := range 12 {
		text += fmt.Sprintf("\n%d. Rule number %d is like no other", i+1, i+1)
	}
	d := write(t, textgen.Request{Context: text})
	for _, s := range d.Slides[1 : len(d.Slides)-1] {
		if strings.Count(s.Heading, "\n") != 1 || s.Body != "" {
			t.Errorf("got %q | %q, want two equal points", s.Heading, s.Body)
		}
	}
	if len(d.Slides) != 8 || len(d.Omitted) != 0 {
		t.Errorf("got %d slides, omitted %q", len(d.Slides), d.Omitted)
	}
}

// Text that fits neither on the slides nor in the caption is reported, once and in order.
func TestWrite_ReportsOmittedText(t *testing.T) {
	var said []string
	for i := range 60 {
		said = append(said, fmt.Sprintf("Sentence %d of this long text is like no other sentence of it.", i+1))
	}
	for _, n := range []int{0, 3, 12} {
		d := write(t, textgen.Request{Context: strings.Join(said, " "), SlideCount: n})
		shown := strings.Join(slidesOf(d), "\n") + "\n" + d.Caption
		omitted := strings.Join(d.Omitted, "\n")
		for _, s := range said {
			s = strings.TrimSuffix(s, ".")
			if strings.Contains(shown, s) == strings.Contains(omitted, s) {
				t.Errorf("%d slides: %q is shown: %v, and reported: %v", n, s, strings.Contains(shown, s), strings.Contains(omitted, s))
			}
		}
		if len(d.Omitted) == 0 {
			t.Errorf("%d slides: no omitted text is reported", n)
		}
	}
	if d := write(t, textgen.Request{Context: strings.Join(said[:8], " ")}); len(d.Omitted) != 0 {
		t.Errorf("a text that fits: got %q", d.Omitted)
	}
	r := textgen.Request{Context: "We bake rye. Our cheapest loaf is spelt. Come by at six.", Brand: textgen.Brand{BannedWords: []string{"cheapest"}}}
	if diff := cmp.Diff([]string{"Our cheapest loaf is spelt."}, write(t, r).Omitted); diff != "" {
		t.Errorf("a passage with a banned word: got %s", diff)
	}
}
