// SPDX-License-Identifier: Apache-2.0

package view

// Upload describes where to send a declared file, and the id that registers it afterwards.
type Upload struct {
	SignedID     string       `json:"signed_id" doc:"Id of the upload, valid only for the brand that declared it. POST /media accepts it as file within 24 hours."`
	DirectUpload DirectUpload `json:"direct_upload" doc:"The signed URL for the upload."`
}

// DirectUpload is one PUT request.
type DirectUpload struct {
	URL       string            `json:"url" format:"uri" doc:"URL for a PUT of exactly the declared bytes. It needs no key."`
	Headers   map[string]string `json:"headers" doc:"Headers to send with the PUT, unchanged."`
	ExpiresAt Time              `json:"expires_at" doc:"When the URL expires. A PUT that started earlier may finish."`
}
