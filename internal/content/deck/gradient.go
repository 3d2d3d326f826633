// SPDX-License-Identifier: Apache-2.0

package deck

import (
	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// GradientOf returns the gradient in effect: that of the design style, overridden by the spec or else by the brand.
func GradientOf(s *v1beta1.Slideshow, b *v1beta1.Brand, style string) catalog.GradientLook {
	return Shade(style, gradientSet(s, b))
}

// Shade returns a design style's gradient with the set fields applied; nil sets nothing. For an unknown style it starts
// from the default gradient.
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
	g.Enabled = set.Enabled == nil || *set.Enabled // setting any other field enables the gradient
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
