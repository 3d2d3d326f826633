// SPDX-License-Identifier: Apache-2.0

package avatar

// cast has all figures in the order of listing.
var cast = []member{
	{
		Info{
			Name: "avatar-kitchen", Title: "Curly hair, kitchen",
			Description: "Drawn woman with curly dark hair and hoop earrings in a bright kitchen, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "woman", "curly hair", "kitchen", "home", "bright", "friendly"},
		},
		func() look {
			return look{
				seed: 101, frames: 180, scale: 1.16, x: 540, y: 930,
				skin:  complexion(0xb9785a, 0x8a4f3d, 0xb2553f, 0.8),
				face:  outline{temple: 182, cheek: 186, jaw: 137, chin: 48, length: 266, neck: 80},
				eyes:  eyes{iris: hex(0x5a3520), apart: 84, width: 49, open: 1.06, tilt: 4, lashes: 1, crease: 0.8, lid: hex(0x8a4a3a), paint: 0.5},
				brows: brows{c: hex(0x2a1a16), thick: 9.5, arch: 1, length: 98, y: -64, hairy: 0.6},
				nose:  nose{width: 41, length: 92, bridge: 0.5},
				mouth: lips{c: hex(0xa8494a), width: 70, full: 1.18, y: 161, gloss: 0.7, lipstick: 0.8},
				hair:  dyed(0x3a241c, curls, 0.35), jewels: jewels{"hoop", hex(0xe0b04f)},
				wear: outfit{c: hex(0xe3a23b), draw: tee, width: 0.90},
				room: kitchen(), habit: habit{energy: 1.05, tempo: 4.7, smile: 0.55, blinks: 0.38},
			}
		},
	},
	{
		Info{
			Name: "avatar-study", Title: "Beard and glasses, bookshelf",
			Description: "Drawn man with a short beard and round glasses in front of a bookshelf in lamp light, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "man", "beard", "glasses", "books", "study", "office", "warm"},
		},
		func() look {
			return look{
				seed: 202, frames: 195, scale: 1.16, x: 540, y: 935,
				skin:  complexion(0xeebb9c, 0xc58467, 0xd97f6a, 0.7),
				face:  outline{temple: 186, cheek: 188, jaw: 156, chin: 68, length: 278, neck: 98},
				eyes:  eyes{iris: hex(0x4f7a8c), apart: 84, width: 45, open: 0.94, tilt: 1, lashes: 0.1, crease: 0.75},
				brows: brows{c: hex(0x4a3022), thick: 12.5, arch: 0.35, length: 104, y: -58, hairy: 1},
				nose:  nose{width: 42, length: 98, bridge: 1},
				mouth: lips{c: hex(0xb86a5c), width: 68, full: 0.86, y: 166, gloss: 0.1},
				hair:  dyed(0x5c3b26, swept, 0.1), beard: &beard{hex(0x54341f), 0.95},
				frame: &glasses{c: hex(0x2b211d), round: true, rx: 63, ry: 59, rim: 3.6, glint: 0.8},
				wear:  outfit{c: hex(0x2f5d50), draw: sweater, width: 1.02},
				lines: 0.25, room: study(), habit: habit{energy: 0.85, tempo: 4.3, smile: 0.35, blinks: 0.33},
			}
		},
	},
	{
		Info{
			Name: "avatar-lounge", Title: "Grey bob, living room",
			Description: "Drawn older woman with a grey bob in a living room with pictures and plants, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "woman", "older", "grey hair", "living room", "home", "plants", "calm"},
		},
		func() look {
			return look{
				seed: 303, frames: 186, scale: 1.14, x: 540, y: 930,
				skin:  complexion(0xf0c3aa, 0xcb9078, 0xdf8b7d, 0.75),
				face:  outline{temple: 182, cheek: 184, jaw: 142, chin: 54, length: 268, neck: 82},
				eyes:  eyes{iris: hex(0x6b8f6a), apart: 83, width: 45, open: 0.92, tilt: 1, lashes: 0.6, crease: 0.9, lid: hex(0xb58a8e), paint: 0.4},
				brows: brows{c: hex(0x8a7a70), thick: 8, arch: 0.9, length: 94, y: -62, hairy: 0.4},
				nose:  nose{width: 39, length: 94, bridge: 0.8},
				mouth: lips{c: hex(0xbf5a5f), width: 66, full: 0.88, y: 160, gloss: 0.4, lipstick: 0.75},
				hair:  covering(dyed(0xb9b3b0, bob, 0.5)), jewels: jewels{},
				wear:  outfit{c: hex(0x8673ad), draw: shirt, width: 0.90},
				lines: 0.6, room: lounge(), habit: habit{energy: 0.8, tempo: 4.1, smile: 0.5, blinks: 0.36},
			}
		},
	},
	{
		Info{
			Name: "avatar-park", Title: "Hoodie, park",
			Description: "Drawn young man with short hair and a hoodie in a sunny park, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "man", "young", "hoodie", "park", "outdoors", "sunny", "lively"},
		},
		func() look {
			return look{
				seed: 404, frames: 174, scale: 1.17, x: 540, y: 935,
				skin:  complexion(0x7a4a35, 0x512c20, 0x84402f, 0.5),
				face:  outline{temple: 180, cheek: 184, jaw: 152, chin: 66, length: 276, neck: 96},
				eyes:  eyes{iris: hex(0x3a2217), apart: 85, width: 46, open: 1.0, tilt: 2, lashes: 0.15, crease: 0.7},
				brows: brows{c: hex(0x1c1210), thick: 12, arch: 0.45, length: 100, y: -60, hairy: 0.8},
				nose:  nose{width: 48, length: 94, bridge: 0.6},
				mouth: lips{c: hex(0x8a4a44), width: 72, full: 1.25, y: 164, gloss: 0.3, lipstick: 0.35},
				hair:  dyed(0x231815, fade, 0), beard: &beard{hex(0x241714), 0.28},
				wear: outfit{c: hex(0x4b6fae), second: hex(0xf2f2ee), draw: hoodie, width: 1.04},
				room: park(), habit: habit{energy: 1.2, tempo: 5, smile: 0.5, blinks: 0.34},
			}
		},
	},
	{
		Info{
			Name: "avatar-bedroom", Title: "Long black hair, bedroom",
			Description: "Drawn young woman with long black hair and a fringe in a bedroom with fairy lights, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "woman", "young", "long hair", "bedroom", "fairy lights", "cosy", "evening"},
		},
		func() look {
			return look{
				seed: 505, frames: 180, scale: 1.15, x: 540, y: 930,
				skin:  complexion(0xf3cdb0, 0xd29b80, 0xee8f84, 0.9),
				face:  outline{temple: 182, cheek: 186, jaw: 133, chin: 44, length: 262, neck: 76},
				eyes:  eyes{iris: hex(0x3b2419), apart: 83, width: 48, open: 0.98, tilt: 5, lashes: 0.85, crease: 0.5, lid: hex(0xd98a86), paint: 0.45},
				brows: brows{c: hex(0x2c201d), thick: 8, arch: 0.6, length: 92, y: -58, hairy: 0.4},
				nose:  nose{width: 36, length: 88, bridge: 0.4},
				mouth: lips{c: hex(0xcf5f62), width: 62, full: 1.02, y: 157, gloss: 0.8, lipstick: 0.7},
				hair:  covering(dyed(0x241c22, long, 1)), jewels: jewels{},
				wear: outfit{c: hex(0xf0b7b2), draw: sweater, width: 0.88},
				room: bedroom(), habit: habit{energy: 1, tempo: 4.8, smile: 0.5, blinks: 0.4},
			}
		},
	},
	{
		Info{
			Name: "avatar-studio", Title: "Teal waves, studio",
			Description: "Drawn person with wavy teal hair and a denim jacket before a plain wall with window light, talking to the camera.",
			Tags:        []string{"avatar", "drawn", "person", "teal hair", "denim", "studio", "plain wall", "modern"},
		},
		func() look {
			return look{
				seed: 606, frames: 168, scale: 1.16, x: 540, y: 932,
				skin:  complexion(0xd9a07a, 0xa96d4f, 0xc96f55, 0.7),
				face:  outline{temple: 182, cheek: 185, jaw: 141, chin: 54, length: 268, neck: 84},
				eyes:  eyes{iris: hex(0x7a5a2c), apart: 84, width: 47, open: 1.0, tilt: 3, lashes: 0.5, crease: 0.8},
				brows: brows{c: hex(0x3a2a22), thick: 10.5, arch: 0.6, length: 98, y: -60, hairy: 0.8},
				nose:  nose{width: 40, length: 93, bridge: 0.8},
				mouth: lips{c: hex(0xb5605a), width: 67, full: 1.0, y: 161, gloss: 0.4, lipstick: 0.4},
				hair:  dyed(0x2b7f86, waves, 0.4), jewels: jewels{"stud", hex(0xd9d9de)},
				wear: outfit{c: hex(0x3f5f86), second: hex(0xf4f1ea), draw: jacket, width: 0.95},
				room: studio(), habit: habit{energy: 1, tempo: 4.6, smile: 0.4, blinks: 0.36},
			}
		},
	},
}
