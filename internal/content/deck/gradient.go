// SPDX-License-Identifier: Apache-2.0

package deck

import (
	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// GradientOf is the shade that is asked for: the design style's with what the spec, or else the brand, sets over it.
func GradientOf(s *v1beta1.Slideshow, b *v1beta1.Brand, style string) catalog.GradientLook {
	return Shade(style, gradientSet(s, b))
}

// Shade is a design style's gradient with what is set over it; nil sets nothing. An unknown style has the usual one.
func Shade(style string, set *v1beta1.Gradient) catalog.GradientLook {
	g := catalog.GradientLook{
		Enabled: catalog.GradientEnabledDefault, Color: catalog.GradientColorDefault, Opacity: catalog.GradientOpacityDefault,
		Direction: catalog.GradientDirectionDefault, Coverage: catalog.GradientCoverageDefault,
	}
	if st, ok := catalog.DesignStyleByID(style); ok {
		g = st.Gradient
	}
	if set == nil {
		return g
	}
	g.Enabled = set.Enabled == nil || *set.Enabled // whoever sets a colour or a direction wants to see it
	g.Color, g.Direction = first(set.Color, g.Color), first(set.Direction, g.Direction)
	if set.Opacity != nil {
		g.Opacity = *set.Opacity
	}
	if set.Coverage != nil {
		g.Coverage = *set.Coverage
	}
	return g
}

func gradientSet(s *v1beta1.Slideshow, b *v1beta1.Brand) *v1beta1.Gradient {
	if s.Spec.Gradient != nil || b == nil {
		return s.Spec.Gradient
	}
	return b.Spec.SlideshowDefaults.Gradient
}
