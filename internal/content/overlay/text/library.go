// SPDX-License-Identifier: Apache-2.0

package text

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// EmojiFamily is the colour font for all emoji.
const EmojiFamily = "Noto Color Emoji"

// Font is one weight of one family. Its file is read on first use. It is safe for concurrent use.
type Font struct {
	Family string
	Weight int

	path  string
	index int
	once  sync.Once
	font  *font.Font
	upem  float64
}

// Library holds the installed upright fonts by family. It is safe for concurrent use.
type Library struct {
	families map[string][]*Font // by weight, ascending
	names    []string           // sorted, so that lastResort always returns the same font

	mu   sync.Mutex
	last map[rune]*Font // cache of lastResort, nil for no font
}

// Open returns the fonts in the directories. It reads only names and weights, not the glyphs. Files that are not fonts
// are skipped; a directory that cannot be read is an error.
func Open(dirs ...string) (*Library, error) {
	l := &Library{families: map[string][]*Font{}, last: map[rune]*Font{}}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !d.IsDir() && isFontFile(path) {
				l.index(path)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for fonts: %w", err)
		}
	}
	for name, fonts := range l.families {
		sort.SliceStable(fonts, func(i, j int) bool { return fonts[i].Weight < fonts[j].Weight })
		l.families[name] = slices.CompactFunc(fonts, func(a, b *Font) bool { return a.Weight == b.Weight })
		l.names = append(l.names, name)
	}
	sort.Strings(l.names)
	return l, nil
}

func isFontFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
		return true
	}
	return false
}

// index adds the upright faces of normal width of a file.
func (l *Library) index(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	loaders, err := ot.NewLoaders(f)
	if err != nil {
		return
	}
	for i, ld := range loaders {
		d, _ := font.Describe(ld, nil)
		if d.Aspect.Style == font.StyleItalic || d.Aspect.Stretch != font.StretchNormal && d.Aspect.Stretch != 0 {
			continue
		}
		weight := int(d.Aspect.Weight)
		if w, ok := weightOfName(path); ok {
			weight = w // old files carry weights that do not match their names
		}
		family := plainFamily(d.Family)
		l.families[family] = append(l.families[family], &Font{Family: family, Weight: weight, path: path, index: i})
	}
}

var weightNames = []struct {
	suffix string
	weight int
}{
	{"ExtraLight", 200},
	{"SemiBold", 600},
	{"Semibold", 600},
	{"ExtraBold", 800},
	{"Light", 300},
	{"Thin", 100},
	{"Medium", 500},
	{"Regular", 400},
	{"Bold", 700},
	{"Black", 900},
	{"Book", 350},
}

func weightOfName(path string) (int, bool) {
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	_, style, found := strings.Cut(stem, "-")
	if !found {
		return 0, false
	}
	for _, n := range weightNames {
		if style == n.suffix {
			return n.weight, true
		}
	}
	return 0, false
}

// plainFamily returns a family name without the weight or version that some files append.
func plainFamily(name string) string {
	for _, n := range weightNames {
		name = strings.TrimSuffix(name, " "+n.suffix)
	}
	return strings.TrimRight(name, " .0123456789")
}

// Has reports whether the family is installed.
func (l *Library) Has(family string) bool { return len(l.families[family]) > 0 }

// Weights returns the installed weights of a family, ascending.
func (l *Library) Weights(family string) []int {
	var out []int
	for _, f := range l.families[family] {
		out = append(out, f.Weight)
	}
	return out
}

// Font returns the weight of the family that is nearest to the requested one, the heavier of two equally near ones. It
// returns nil if the family is not installed.
func (l *Library) Font(family string, weight int) *Font {
	var best *Font
	for _, f := range l.families[family] {
		if best == nil || distance(f.Weight, weight) <= distance(best.Weight, weight) {
			best = f
		}
	}
	return best
}

func distance(a, b int) int {
	if a > b {
		return a - b
	}
	return b - a
}

// load reads the file. A file that cannot be read results in a font without glyphs.
func (f *Font) load() *font.Font {
	f.once.Do(func() {
		f.upem = 1000
		data, err := os.ReadFile(f.path)
		if err != nil {
			return
		}
		loaders, err := ot.NewLoaders(bytes.NewReader(data))
		if err != nil || f.index >= len(loaders) {
			return
		}
		ft, err := font.NewFont(loaders[f.index])
		if err != nil {
			return
		}
		f.font, f.upem = ft, float64(ft.Upem())
	})
	return f.font
}

// Covers reports whether the font has a glyph of its own for the rune.
func (f *Font) Covers(r rune) bool {
	ft := f.load()
	if ft == nil {
		return false
	}
	_, ok := ft.NominalGlyph(r)
	return ok
}

// lastResort searches every installed text font for the rune and returns nil if none has it.
func (l *Library) lastResort(r rune, weight int) *Font {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, seen := l.last[r]; seen {
		return f
	}
	var found *Font
	for _, pass := range []string{"Noto Sans", "Noto Serif", ""} {
		for _, name := range l.names {
			if name == EmojiFamily || !strings.HasPrefix(name, pass) {
				continue
			}
			if f := l.Font(name, weight); f.Covers(r) {
				found = f
				break
			}
		}
		if found != nil {
			break
		}
	}
	l.last[r] = found
	return found
}
