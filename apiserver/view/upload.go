// SPDX-License-Identifier: Apache-2.0

package view

// Upload describes where to send a declared file, and the id that registers it afterwards.
type Upload struct {
	SignedID     string       `json:"signed_id" doc:"Names the upload, for the brand that declared it alone; POST /media takes it as file within 24 hours."`
	DirectUpload DirectUpload `json:"direct_upload" doc:"Where the bytes are sent."`
}

// DirectUpload is one PUT request.
type DirectUpload struct {
	URL       string            `json:"url" format:"uri" doc:"PUT exactly the declared bytes here. No key needed."`
	Headers   map[string]string `json:"headers" doc:"To be sent with the PUT, as they are."`
	ExpiresAt Time              `json:"expires_at" doc:"When the address ends. A PUT that began before it may go on."`
}
