// SPDX-License-Identifier: Apache-2.0

package hostile

// Verdict is what has to become of a file.
type Verdict int

const (
	// Refused files are never usable: a clear error, or failed media with a reason.
	Refused Verdict = iota
	// Harmless files may be taken or refused, as long as nothing is hurt.
	Harmless
	// Taken files are odd but good: refusing one would be a fault.
	Taken
)

// File is one file of the corpus.
type File struct {
	// Name of the case.
	Name string
	// Type is the content type that it is declared as.
	Type string
	// Want is what has to become of it.
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
