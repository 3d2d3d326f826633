// SPDX-License-Identifier: Apache-2.0

package voices

import "strings"

// Voices without a program: each language of the package has them.
const (
	female = "female"
	male   = "male"
)

// flites are the voices of flite. All speak English.
var flites = []Voice{
	{Name: "slt", Gender: female}, {Name: "rms", Gender: male}, {Name: "awb", Gender: male}, {Name: "kal", Gender: male}, {Name: "kal16", Gender: male},
}

// Voices of flite and the variant of espeak-ng for female and male. Without a variant, the voices of espeak-ng are
// male.
const (
	fliteFemale   = "slt"
	fliteMale     = "rms"
	femaleVariant = "f3"
)

// byTag are the voices of espeak-ng 1.51 whose name is the tag of their language. Mute languages are missing.
var byTag = strings.Fields(`
	af am an ar as az ba be bg bn bpy bs ca cs cv cy da de el en-029 eo es es-419 et eu fa fi ga gd gn grc gu hak haw he hi hr ht hu hy hyw
	ia id io is it ja jbo ka kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt my nb nci ne nl nog om or pa pap pl qdb qu quc qya
	ro ru sd shn si sjn sk sl smj sq sr sv sw ta te tk tn tr tt ug uk ur uz vi
	en-gb en-us fa-latn fr-be fr-ch pt-br ru-lv`)

// byName are the other voices of espeak-ng, with the tags of their languages.
var byName = map[string][]string{
	"cmn":             {"zh"},
	"cmn-latn-pinyin": {"zh"},
	"en-gb-scotland":  {"en-GB"},
	"en-gb-x-gbclan":  {"en-GB"},
	"en-gb-x-gbcwmd":  {"en-GB"},
	"en-gb-x-rp":      {"en-GB"},
	"en-us-nyc":       {"en-US"},
	"fr-fr":           {"fr-FR"},
	"piqd":            {"tlh"},
	"pt":              {"pt-PT"},
	"py":              {"art-x-pyash"},
	"vi-vn-x-central": {"vi-VN"},
	"vi-vn-x-south":   {"vi-VN"},
	"yue":             {"yue", "zh-HK", "zh-MO"},
}

// variants of espeak-ng 1.51. The name of a voice, a plus sign and one of these is a voice as well: de+f3.
var variants = strings.Fields(`
	adam Alex Alicia Andrea Andy anika anikaRobot Annie announcer antonio AnxiousAndy aunty belinda benjamin boris caleb croak david Demonic
	Denis Diogo ed edward edward2 f1 f2 f3 f4 f5 fast Gene Gene2 grandma grandpa gustave Henrique Hugo iven iven2 iven3 iven4 Jacky john
	kaukovalta klatt klatt2 klatt3 klatt4 klatt5 klatt6 Lee linda m1 m2 m3 m4 m5 m6 m7 m8 marcelo Marco Mario max Michael michel miguel Mike
	Nguyen norbert pablo paul pedro quincy RicishayMax RicishayMax2 RicishayMax3 rob robert robosoft robosoft2 robosoft3 robosoft4 robosoft5
	robosoft6 robosoft7 robosoft8 sandro shelby steph steph2 steph3 Storm travis Tweaky UniRobot victor whisper whisperf zac`)
