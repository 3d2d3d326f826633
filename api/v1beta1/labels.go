// SPDX-License-Identifier: Apache-2.0

package v1beta1

// Labels. Controllers and the REST API look objects up by them. Users may select objects by them.
const (
	// LabelID is the object's integer id in its number space. Slideshows and videos share one number space, the short
	// ids.
	LabelID = "reelops.dev/id"
	// LabelBrand is the name of the Brand that an object belongs to.
	LabelBrand = "reelops.dev/brand"
	// LabelShort is the id of the short that a RenderJob renders or a Post publishes.
	LabelShort = "reelops.dev/short-id"
	// LabelRenderJob is the name of the RenderJob that a batch/v1 Job or a Secret was created for.
	LabelRenderJob = "reelops.dev/render-job"
	// LabelMedia is the uid of the MediaAsset or MusicTrack that a batch/v1 Job or a Secret was created for.
	LabelMedia = "reelops.dev/media"
	// LabelAttempt is the attempt number of the batch/v1 Job of a render.
	LabelAttempt = "reelops.dev/attempt"
	// LabelComponent is the name of the process that an object belongs to, on objects that Reelops creates for itself.
	LabelComponent = "reelops.dev/component"
)

// ComponentStarterSet is the value of LabelComponent on the media that an installation has before users upload any.
const ComponentStarterSet = "starter-set"

// Annotations.
const (
	// AnnotationRetry requests a retry of a failed Slideshow or Video, or of a MediaAsset or MusicTrack with a retryable
	// failure. Any new value restarts the work.
	AnnotationRetry = "reelops.dev/retry"
	// AnnotationTraceParent is the trace of the request that an object was created for, as a W3C traceparent. The
	// annotation is set while tracing is enabled, and does not influence any decision.
	AnnotationTraceParent = "reelops.dev/traceparent"
)

// Finalizers block the deletion of an object until its files are deleted from the blob store. A client that creates
// such an object should set the finalizer on creation. A controller adds it to objects of manifests without one. A
// deletion that was requested before the finalizer was added takes effect anyway, and the files would become orphans.
const (
	FinalizerMediaAsset = "reelops.dev/media-blobs"
	FinalizerMusicTrack = "reelops.dev/track-blobs"
	FinalizerRenderJob  = "reelops.dev/render-blobs"
	FinalizerVideo      = "reelops.dev/video-blobs"
)

// AccountName is the name of the only Account in a namespace.
const AccountName = "account"
