// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"
	"math"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/catalog"
)

// ClipRequest is a product demo with its presentation in the video.
type ClipRequest struct {
	MediaID      *operation.ID `json:"media_id,omitempty" doc:"As in product_demo_media_ids. Either this or url is required."`
	URL          *string       `json:"url,omitempty" nullable:"true" format:"uri" maxLength:"2000" doc:"A URL as in product_demo_urls."`
	Fit          *string       `json:"fit,omitempty" doc:"cover crops the clip, contain shows all of it over a blurred copy, auto selects contain for screen recordings, else cover. Default auto."`
	Start        *float64      `json:"start,omitempty" doc:"Seconds into the clip. Default 0."`
	End          *float64      `json:"end,omitempty" nullable:"true" doc:"Seconds into the clip. Default: its end. At least 0.5 after start."`
	Text         *string       `json:"text,omitempty" nullable:"true" doc:"Shown over the clip."`
	CallToAction *string       `json:"call_to_action,omitempty" nullable:"true" doc:"Shown as a button at the clip's end."`
}

// TransformSchema adds the limits and accepted values of the catalog to the schema.
func (ClipRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties
	for _, f := range catalog.ClipFits {
		p["fit"].Enum = append(p["fit"].Enum, f)
	}
	between(p["start"], 0, catalog.MaxClipSecond)
	between(p["end"], catalog.MinFilmClip.Seconds(), catalog.MaxClipSecond)
	length(p["text"], 0, catalog.MaxClipTextCharacters)
	length(p["call_to_action"], 0, catalog.MaxCallToActionCharacters)
	for _, name := range []string{"url", "text", "call_to_action"} {
		p[name].Extensions = map[string]any{operation.Trimmed: true}
	}
	return s
}

// demo returns the clip without its source. Its fit is always set, which distinguishes it from clips of
// product_demo_media_ids and product_demo_urls.
func (r *ClipRequest) demo() v1beta1.DemoClip {
	out := v1beta1.DemoClip{Fit: catalog.FitAuto}
	for from, to := range map[*string]*string{r.Fit: &out.Fit, r.Text: &out.Text, r.CallToAction: &out.CallToAction} {
		if from != nil {
			*to = *from
		}
	}
	if r.Start != nil {
		out.StartMilliseconds = milliseconds(*r.Start)
	}
	if r.End != nil {
		end := milliseconds(*r.End)
		out.EndMilliseconds = &end
	}
	return out
}

func milliseconds(seconds float64) int64 { return int64(math.Round(seconds * 1000)) }

func seconds(milliseconds int64) float64 { return float64(milliseconds) / 1000 }

// clipField returns the name of a member of clips.
func clipField(i int) string { return fmt.Sprintf("%s[%d]", fieldClips, i) }

// demos returns the number of demos in the body.
func (b *CreateVideo) demos() int {
	return len(b.ProductDemoMediaIDs) + len(b.ProductDemoURLs) + len(b.Clips)
}

// demoURL returns the name of the URL member of the i-th demo.
func (b *CreateVideo) demoURL(i int) string {
	i -= len(b.ProductDemoMediaIDs)
	if n := len(b.ProductDemoURLs); i >= n {
		return clipField(i-n) + ".url"
	}
	return fmt.Sprintf("%s[%d]", fieldDemoURLs, max(i, 0))
}
