// SPDX-License-Identifier: Apache-2.0

package avatar

// look has all properties that distinguish one figure from another.
type look struct {
	seed uint64
	// frames is the length of the clip in frames.
	frames int
	// scale is the number of pixels per unit in a frame of Width x Height. x and y are the position of the middle
	// between the eyes.
	scale, x, y float32

	skin   skin
	face   outline
	eyes   eyes
	brows  brows
	nose   nose
	mouth  lips
	hair   hair
	beard  *beard
	frame  *glasses
	jewels jewels
	wear   outfit
	lines  float32 // how visible the lines of age are, 0 to 1
	room   room
	habit  habit
}

// skin is a face's colours, derived from its middle tone.
type skin struct {
	base, light, shadow, deep, blush tone
	// cheeks is how rosy they are, 0 to 1.
	cheeks float32
}

// complexion derives a skin's colours from its middle tone and the tones of its shadows and its blush. cheeks is how
// rosy the cheeks are, 0 to 1.
func complexion(base uint32, shadow, blush uint32, cheeks float32) skin {
	b := hex(base)
	s := hex(shadow)
	return skin{base: b, light: b.change(0.045, 0.85, 4), shadow: s, deep: s.change(-0.10, 1, -6), blush: hex(blush), cheeks: cheeks}
}

// outline is a face's form: half widths in units at the temples, cheeks, jaw and chin. length is the distance of the
// chin below the middle between the eyes.
type outline struct {
	temple, cheek, jaw, chin, length float32
	neck                             float32 // half width
}

type eyes struct {
	iris   tone
	apart  float32 // distance of the middle of an eye from the middle of the face
	width  float32 // half the width of an eye
	open   float32 // factor of the distance between the lids, 1 is usual
	tilt   float32 // units by which the outer corner is higher
	lashes float32 // 0 none, 1 long
	crease float32 // how visible the fold of the lid is, 0 to 1
	lid    tone    // make-up on the lid
	paint  float32 // strength of the make-up, 0 to 1
}

type brows struct {
	c                      tone
	thick, arch, length, y float32
	hairy                  float32 // factor of the number of single hairs, which make the edge ragged
}

type nose struct{ width, length, bridge float32 }

type lips struct {
	c           tone
	width, full float32 // width is half the width; full is a factor of the thickness, 1 is usual
	y           float32
	gloss       float32
	lipstick    float32 // 0 is bare: the edges blend into the skin
}

type jewels struct {
	kind string // "", stud or hoop
	c    tone
}

// habit is how a figure talks and moves.
type habit struct {
	energy float32 // 1 is usual
	tempo  float32 // syllables per second
	smile  float32 // corners of the mouth at rest
	blinks float32 // per second
}
