// SPDX-License-Identifier: Apache-2.0

package imagery_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// BenchmarkEncodePNG encodes a background of a slide with EncodePNG and with image/png at its fastest level, and reports the sizes.
func BenchmarkEncodePNG(b *testing.B) {
	ratio := catalog.AspectRatios[0]
	slide, err := starter.Draw(b.Context(), starter.All()[7], ratio.Width, ratio.Height)
	if err != nil {
		b.Fatal(err)
	}
	for name, encode := range map[string]func(io.Writer, image.Image) error{
		"EncodePNG": imagery.EncodePNG,
		"image/png": (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode,
	} {
		b.Run(name, func(b *testing.B) {
			var file bytes.Buffer
			for b.Loop() {
				file.Reset()
				if err := encode(&file, slide); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(file.Len()), "bytes")
		})
	}
}
