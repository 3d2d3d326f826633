// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"testing"
)

func writeFile(path string, b []byte) error { return os.WriteFile(path, b, 0o600) }

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// jpegHead is a whole small JPEG, to which bytes can be added.
func jpegHead() []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 400, 500)), nil)
	return b.Bytes()
}
