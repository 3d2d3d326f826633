// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/render"
	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit/need"
)

const (
	// minSimilarity is the smallest SSIM of a preview and the frame of a video of high quality that shows the slide: the
	// same pixels, but for the conversion to YUV with half the resolution of colours.
	minSimilarity = 0.99
	// minAsPublished is the same for the default quality. The encoder smooths the grain of some photos.
	minAsPublished = 0.96
	highQuality    = 8.0 // CRF
)

// previewTexts has a text for each script that breaks lines and chooses fonts in another way.
var previewTexts = []v1beta1.SlideSpec{
	{Heading: "GDPR-compliant storage for state-of-the-art teams", Body: "Keep the heat medium-low, and stop at 65 °C."},
	{Heading: "خمس نصائح لنوم أفضل", Body: "أطفئ الشاشة قبل 30 دقيقة من النوم."},
	{Heading: "毎朝の習慣を変える5つの方法", Body: "あとで見返せるように保存してください。"},
	{Heading: "Drink water first 💧", Body: "Before coffee ☕, before your phone 📱: one full glass 👩‍👩‍👧‍👦"},
}

// TestPreview_EqualsTheRenderedFrame compares the preview of a slide with the frame of the video that shows it, in every
// design style. All slides are in one video of one frame each: a render for each slide would take minutes.
func TestPreview_EqualsTheRenderedFrame(t *testing.T) {
	need.Program(t, "ffmpeg")
	need.Program(t, "ffprobe")
	engine, err := overlay.New()
	if err != nil {
		need.Missing(t, err.Error())
	}
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	ratio := catalog.DefaultAspectRatio()
	tl := &timeline.Timeline{
		Version: timeline.Version, Canvas: timeline.Canvas{Width: ratio.Width, Height: ratio.Height},
		FPS: timeline.DefaultFPS, Audio: timeline.Audio{Kind: timeline.NoAudio},
	}
	dir, paths := t.TempDir(), map[string]string{}
	var names []string
	var first image.Image
	drawer := &slides.Drawer{Store: store, Engine: engine, Parallel: 2}
	for _, style := range catalog.DesignStyles {
		drawing := drawingOf(t, store, style.ID)
		previews := make([]*slides.Preview, len(previewTexts))
		for i := range previewTexts {
			if previews[i], err = drawer.Preview(t.Context(), drawing, int64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		drawn, err := drawer.Draw(t.Context(), drawing)
		if err != nil {
			t.Fatal(err)
		}
		for i, slide := range drawn.Slides {
			name := fmt.Sprintf("%s, %s", style.ID, previewTexts[i].Heading)
			if len(slide.TextOverlays) < 2 {
				t.Errorf("%s: the slide has %d blocks of text", name, len(slide.TextOverlays))
			}
			if diff := cmp.Diff(slide.TextOverlays, previews[i].Overlays); diff != "" {
				t.Errorf("%s: the layout of the preview differs (-slide +preview):\n%s", name, diff)
			}
			n := len(names)
			names = append(names, name)
			var file bytes.Buffer
			if err := imagery.EncodePNG(&file, previews[i].Image); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file.Bytes(), blobOf(t, store, slide.PictureKey)) {
				t.Errorf("%s: the pixels of the preview differ from those of the slide", name)
			}
			write(t, pictureFile(dir, n), file.Bytes())
			if n == 0 {
				first = previews[i].Image
			}
			ground, layer := fmt.Sprintf("background-%d", n), fmt.Sprintf("layer-%d", n)
			for input, key := range map[string]string{ground: slide.Background.BlobKey, layer: slide.LayerKey} {
				paths[input] = filepath.Join(dir, input)
				write(t, paths[input], blobOf(t, store, key))
			}
			tl.Clips = append(tl.Clips, timeline.Clip{
				Background: timeline.Background{Input: ground}, Layer: &timeline.Layer{Input: layer}, Frames: 1,
			})
		}
	}
	film := filepath.Join(dir, "film.mp4")
	for _, quality := range []struct{ crf, least float64 }{
		{render.DefaultCRF, minAsPublished}, {highQuality, minSimilarity},
	} {
		if _, err := render.Film(t.Context(), tl, paths, film, render.Options{Threads: 2, CRF: quality.crf}); err != nil {
			t.Fatal(err)
		}
		all := similarity(t, film, dir)
		if len(all) != len(names) {
			t.Fatalf("compared %d frames, want %d", len(all), len(names))
		}
		worst := 1.0
		for i, got := range all {
			worst = min(worst, got)
			if got < quality.least {
				t.Errorf("CRF %g, %s: the frame differs from the preview: SSIM %.4f, want at least %g",
					quality.crf, names[i], got, quality.least)
			}
		}
		t.Logf("CRF %g, %d slides: worst SSIM %.4f", quality.crf, len(all), worst)
	}

	// The comparison notices a shift of few pixels.
	moved := image.NewRGBA(first.Bounds())
	draw.Draw(moved, moved.Bounds(), first, image.Pt(0, 3), draw.Src)
	var file bytes.Buffer
	if err := imagery.EncodePNG(&file, moved); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	write(t, pictureFile(other, 0), file.Bytes())
	if got := similarity(t, film, other); len(got) == 0 || got[0] >= minSimilarity {
		t.Errorf("a picture that is shifted by 3 pixels has SSIM %v", got)
	}
}

// drawingOf returns the drawing of a slideshow with previewTexts in a style.
func drawingOf(t *testing.T, store *blob.Store, style string) slides.Drawing {
	t.Helper()
	s := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: style, UID: "u", Generation: 1},
		Spec: v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, DesignStyle: style, Slides: previewTexts,
		},
	}
	in := &slides.Inputs{Brand: &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}}
	design := deck.DesignOf(s, deck.OfBrand(in.Brand))
	found, err := slides.Images{Store: store}.Gather(t.Context(), s, in, design)
	if err != nil {
		t.Fatal(err)
	}
	return slides.NewDrawing(s, in, found, design, 1)
}

// similarity returns the SSIM of each picture and the frame of the video with its number, until either ends.
func similarity(t *testing.T, film, dir string) (all []float64) {
	t.Helper()
	const graph = "[0:v]setpts=N/30/TB,settb=1/30[film];" +
		"[1:v]scale=out_color_matrix=bt709:out_range=limited,format=yuv420p,setpts=N/30/TB,settb=1/30[pictures];" +
		"[film][pictures]ssim=shortest=1:stats_file=-"
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", film, "-framerate", "30", "-i",
		filepath.Join(dir, "picture-%03d.png"), "-lavfi", graph, "-f", "null", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "All:"); ok {
			v, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	return all
}

func pictureFile(dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("picture-%03d.png", n))
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func blobOf(t *testing.T, store *blob.Store, key string) []byte {
	t.Helper()
	r, err := store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
