// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/paint"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// DefaultFontDir is the directory where Debian's packages install fonts.
const DefaultFontDir = "/usr/share/fonts"

// packageOf maps a family to the Debian package that contains it.
var packageOf = map[string]string{
	"Inter": "fonts-inter", "Manrope": "fonts-manrope", "League Spartan": "fonts-league-spartan", "Bebas Neue": "fonts-bebas-neue",
	"EB Garamond": "fonts-ebgaramond", "Roboto Slab": "fonts-roboto-slab", "Quicksand": "fonts-quicksand", "Lobster Two": "fonts-lobstertwo",
	text.EmojiFamily: "fonts-noto-color-emoji",
}

func packageFor(family string) string {
	switch {
	case packageOf[family] != "":
		return packageOf[family]
	case strings.Contains(family, "CJK"):
		return "fonts-noto-cjk"
	}
	return "fonts-noto-core"
}

// MissingFonts is the error for families that are not installed. It names the Debian packages that contain them.
type MissingFonts struct {
	Families, Packages, Dirs []string
}

func (e *MissingFonts) Error() string {
	return fmt.Sprintf("Fonts are missing under %s: %s; install them with: apt-get install %s",
		strings.Join(e.Dirs, ", "), strings.Join(e.Families, ", "), strings.Join(e.Packages, " "))
}

// Engine measures and draws text. It is safe for concurrent use.
type Engine struct {
	lib     *text.Library
	workers sync.Pool // of *worker
}

// worker holds the caches of one goroutine; they must not be shared.
type worker struct {
	shaper *text.Shaper
	brush  paint.Brush
	emoji  map[emojiKey]*emojiPicture
	shaped map[shapeKey][]*text.Paragraph
}

// New opens the fonts in the directories, or in DefaultFontDir if none is given. All families of the catalog and the
// emoji font are required; otherwise the error is a *MissingFonts.
func New(fontDirs ...string) (*Engine, error) {
	if len(fontDirs) == 0 {
		fontDirs = []string{DefaultFontDir}
	}
	lib, err := text.Open(fontDirs...)
	if err != nil {
		return nil, err
	}
	missing := &MissingFonts{Dirs: fontDirs}
	wanted := []string{text.EmojiFamily}
	for _, f := range catalog.OverlayFonts {
		wanted = append(wanted, f.Family)
	}
	for _, family := range wanted {
		if !lib.Has(family) {
			missing.Families = append(missing.Families, family)
			missing.Packages = append(missing.Packages, packageFor(family))
		}
	}
	if len(missing.Families) > 0 {
		slices.Sort(missing.Packages)
		missing.Packages = slices.Compact(missing.Packages)
		return nil, missing
	}
	e := &Engine{lib: lib}
	e.workers.New = func() any {
		return &worker{shaper: text.NewShaper(lib), emoji: map[emojiKey]*emojiPicture{}, shaped: map[shapeKey][]*text.Paragraph{}}
	}
	return e, nil
}

func (e *Engine) take() *worker      { return e.workers.Get().(*worker) }
func (e *Engine) giveBack(w *worker) { e.workers.Put(w) }

type shapeKey struct {
	style text.Style
	text  string
}

// shape returns the shaped paragraphs of a text from a cache, so that trying many sizes and widths is cheap.
func (w *worker) shape(o Overlay) []*text.Paragraph {
	key := shapeKey{styleOf(o), o.Text}
	if p, ok := w.shaped[key]; ok {
		return p
	}
	if len(w.shaped) > 256 {
		clear(w.shaped)
	}
	p := w.shaper.Shape(key.style, o.Text)
	w.shaped[key] = p
	return p
}

func styleOf(o Overlay) text.Style {
	f, _ := catalog.OverlayFontByFamily(o.FontFamily)
	return text.Style{Family: o.FontFamily, Weight: o.FontWeight, Serif: f.Class == "serif"}
}

// Weights returns the installed weights of a family, ascending.
func (e *Engine) Weights(family string) []int { return e.lib.Weights(family) }
