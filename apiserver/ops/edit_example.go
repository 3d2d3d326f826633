// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// exampleContext is the context of the slideshow in the examples.
const exampleContext = "How to sleep better, for parents with little time. Go to bed at the same time every day. " +
	"Keep the bedroom at 18 °C. No screens in the last hour. No coffee after 2 pm. Get daylight in the first hour of the morning."

var editExample = map[string]any{
	"title": "Sleep better",
	"slides": []any{map[string]any{
		"id": 2, "textOverlays": []any{map[string]any{"id": 1, "text": "Same time every day", "color": "gold"}},
	}},
	"slide_order": []any{1, 3, 2},
}

var previewExample = map[string]any{
	"slide_id": 2, "max_width": 540,
	"slides": []any{map[string]any{"id": 2, "textOverlays": []any{map[string]any{"id": 1, "position": map[string]any{"x": 50, "y": 30}}}}},
}

// examplePreview has the signature of a PNG instead of a whole image.
var examplePreview = SlidePreview{
	ShortID: 123, SlideID: 2, ContentType: "image/png", Image: []byte("\x89PNG\r\n\x1a\n"), Width: 540, Height: 960,
	TextOverlays: exampleSlide(2, 1, "Same time every day", "").TextOverlays,
}

// exampleSlide returns the slide with an id at a position.
func exampleSlide(id int64, position int, text, picture string) view.Slide {
	return view.Slide{
		ID: id, Position: position, ImageURL: picture, RenderedImageURL: &picture, Width: 1080, Height: 1920,
		TextOverlays: []view.Overlay{{
			ID: 1, Text: text, FontFamily: "Inter", FontWeight: 900, FontSize: 84, Color: "#FFFFFF",
			StrokeColor: "#000000", StrokeWidth: 6,
			Position: view.Position{X: 45, Y: 40}, Align: "center", MaxWidth: 80, LineHeight: 1.1,
		}},
	}
}

var exampleRecord = func() view.ShortRecord {
	title, caption, picture := "Sleep better", "Five habits for better sleep.", "https://reelops.example/blobs/shorts/acme/1/r2/slide-2.png?expires=1795262400&signature=abc"
	r := view.ShortRecord{
		ShortCore: view.ShortCore{
			ShortSummary: view.ShortSummary{
				ID: 123, ShortType: catalog.ShortSlideshow, Status: view.StatusSuccessSlideshow, Title: &title, Caption: &caption, Tags: "sleep,habits",
				AspectRatio: "9:16", SlideCount: 3, RenderStatus: "stale", BrandID: 7, CreatedAt: exampleTime, UpdatedAt: exampleTime,
				ThumbnailURL: &picture, PreviewURL: &picture,
			},
			Thumbnail: view.Nullable[view.Picture]{Value: &view.Picture{URL: picture, Width: 360, Height: 640}}, Revision: 2,
		},
		TypeData: view.SlideshowData{
			Voice:       view.VoiceOver{Mode: "none"},
			DesignStyle: "bold_center", ImageSource: view.ImageSource{Type: "stock"}, Context: exampleContext, Language: "en", SlideCount: 3,
			Gradient: view.Gradient{GradientEnabled: true, GradientColor: "#000000", GradientOpacity: 0.22, GradientDirection: "full", GradientCoverage: 1},
			Slides: []view.Slide{
				exampleSlide(1, 1, "How to sleep better", picture), exampleSlide(3, 2, "Keep the bedroom at 18 °C", picture),
				exampleSlide(2, 3, "Same time every day", picture),
			},
		},
	}
	return r
}()
