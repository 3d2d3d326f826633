// SPDX-License-Identifier: Apache-2.0

package hostile

// Verdict is the required outcome of a file.
type Verdict int

const (
	// Refused files must not become usable: they give a clear error, or failed media with a reason.
	Refused Verdict = iota
	// Harmless files may be accepted or refused, as long as nothing is damaged.
	Harmless
	// Taken files are unusual but valid: refusing one is a bug.
	Taken
)

// File is one file of the corpus.
type File struct {
	// Name of the case.
	Name string
	// Type is the declared content type.
	Type string
	// Want is the required outcome.
	Want Verdict
	// Data of the file.
	Data []byte
}

// The types that may be declared.
const (
	jpegType, pngType, gifType, webpType, heicType, heifType = "image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/heif"
	mp4Type, webmType, movType                               = "video/mp4", "video/webm", "video/quicktime"
)

var pictureTypes = []string{jpegType, pngType, gifType, webpType, heicType, heifType}

var filmTypes = []string{mp4Type, webmType, movType}
