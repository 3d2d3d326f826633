// SPDX-License-Identifier: Apache-2.0

package v1beta1

// Labels. Controllers and the front end look objects up by them; users may select on them.
const (
	// LabelID holds the object's integer id in its number space. Short ids (slideshows and videos) are one space.
	LabelID = "reelops.dev/id"
	// LabelBrand holds the name of the Brand an object belongs to.
	LabelBrand = "reelops.dev/brand"
	// LabelShort holds the short id that a RenderJob works for.
	LabelShort = "reelops.dev/short-id"
	// LabelRenderJob holds the name of the RenderJob that a batch/v1 Job or a Secret was made for.
	LabelRenderJob = "reelops.dev/render-job"
	// LabelMedia holds the uid of the MediaAsset or MusicTrack that a batch/v1 Job or a Secret was made for.
	LabelMedia = "reelops.dev/media"
	// LabelAttempt holds the attempt number of a render's batch/v1 Job.
	LabelAttempt = "reelops.dev/attempt"
	// LabelComponent names the process an object belongs to, on objects that Reelops makes for itself.
	LabelComponent = "reelops.dev/component"
)

// Annotations.
const (
	// AnnotationRetry asks for another try of a failed Slideshow, or of a MediaAsset or MusicTrack whose failure may pass: any new value
	// starts the work again.
	AnnotationRetry = "reelops.dev/retry"
	// AnnotationTraceParent names the trace of the request that an object was made for, in the form of the W3C (traceparent). It is there
	// while traces are sent, and nothing is decided by it.
	AnnotationTraceParent = "reelops.dev/traceparent"
)

// Finalizers hold an object until its files are gone from the blob store. Whoever creates one sets it at once, and a controller adds
// it to a manifest that came without: Kubernetes deletes an object that had no finalizer when the request to delete it came, even
// one that was given a finalizer since, and then nobody would know of the files.
const (
	FinalizerMediaAsset = "reelops.dev/media-blobs"
	FinalizerMusicTrack = "reelops.dev/track-blobs"
	FinalizerRenderJob  = "reelops.dev/render-blobs"
	FinalizerVideo      = "reelops.dev/video-blobs"
)

// AccountName is the name of the one Account in a namespace.
const AccountName = "account"
