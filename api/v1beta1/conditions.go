// SPDX-License-Identifier: Apache-2.0

package v1beta1

// ConditionType is the type of a condition of any kind of this API group.
type ConditionType string

// Condition types. Ready is the summary on every kind. The other conditions are parts of it.
const (
	// ConditionReady is true when the object matches its spec.
	ConditionReady ConditionType = "Ready"
	// ConditionStalled is true only when the object needs a change by a user. Otherwise the condition is absent.
	ConditionStalled ConditionType = "Stalled"
	// ConditionWritten is true when a slideshow or video has its texts, from the spec or from text generation.
	ConditionWritten ConditionType = "Written"
	// ConditionDrawn is true when the slide images of a slideshow's current revision are stored.
	ConditionDrawn ConditionType = "Drawn"
	// ConditionContentCurrent is true when the open posts of a PostBatch publish the newest revision of its short. The
	// condition is absent without open posts.
	ConditionContentCurrent ConditionType = "ContentCurrent"
	// ConditionConfined is false when a pod opened, or had to open, user files on a node that cannot fully confine the
	// programs that open them. Otherwise the condition is absent.
	ConditionConfined ConditionType = "Confined"
)

// Reason is the reason of a condition. Renaming a reason is an API change.
type Reason string

// Reasons of Ready on every kind.
const (
	// ReasonReady means that the object matches its spec.
	ReasonReady Reason = "Ready"
	// ReasonProgressing means that work is in progress.
	ReasonProgressing Reason = "Progressing"
	// ReasonQueued means that work waits in a queue for a free slot.
	ReasonQueued Reason = "Queued"
	// ReasonSuspended means that spec.suspend is true. No work starts until spec.suspend is false.
	ReasonSuspended Reason = "Suspended"
	// ReasonConfinementMissing means, on Confined, that the node's kernel or container runtime lacks Landlock or seccomp
	// filters.
	ReasonConfinementMissing Reason = "ConfinementMissing"
	// ReasonFailed means that the work has failed permanently. The message contains the cause and the remedy.
	ReasonFailed Reason = "Failed"
	// ReasonBrandNotFound means that the Brand of spec.brandRef is not in the namespace.
	ReasonBrandNotFound Reason = "BrandNotFound"
	// ReasonAccountNotFound means that the namespace has no Account.
	ReasonAccountNotFound Reason = "AccountNotFound"
	// ReasonMediaNotFound means that a MediaAsset of a slide or clip is not in the namespace or the library.
	ReasonMediaNotFound Reason = "MediaNotFound"
	// ReasonSourceNotFound means that the Slideshow or Video of a RenderJob is not in the namespace.
	ReasonSourceNotFound Reason = "SourceNotFound"
	// ReasonPackNotFound means that the MediaPack of spec.imageSource.packRef is not in the namespace.
	ReasonPackNotFound Reason = "PackNotFound"
	// ReasonTrackNotFound means that the MusicTrack of spec.music does not exist.
	ReasonTrackNotFound Reason = "TrackNotFound"
	// ReasonTrackNotReady means that the MusicTrack of spec.music is not ingested yet.
	ReasonTrackNotReady Reason = "TrackNotReady"
	// ReasonMediaNotReady means that a referenced MediaAsset is not downloaded and validated yet.
	ReasonMediaNotReady Reason = "MediaNotReady"
	// ReasonRenderFailed means that the slides are ready, and the video that spec.autoRender requires has failed.
	ReasonRenderFailed Reason = "RenderFailed"
	// ReasonFileNotFound means that the blob store has no file under the key of spec.source, or lacks a file that a Post
	// publishes. The lookup is retried.
	ReasonFileNotFound Reason = "FileNotFound"
	// ReasonSourceUnavailable means that the URL or the blob store of spec.source returns no file. The request is
	// retried.
	ReasonSourceUnavailable Reason = "SourceUnavailable"
	// ReasonQuotaExceeded means that the plan's slideshows of this period are used up.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonInsufficientCredits means that AI images cost more credits than the plan has left in this period.
	ReasonInsufficientCredits Reason = "InsufficientCredits"
	// ReasonTooFarAhead means that spec.scheduledAt of a PostBatch is more than 365 days ahead. Posts are created once
	// the time is within 365 days.
	ReasonTooFarAhead Reason = "TooFarAhead"
	// ReasonShortNotReady means that a PostBatch waits for its short, which does not exist or is not ready yet.
	ReasonShortNotReady Reason = "ShortNotReady"
	// ReasonSocialAccountNotFound means that a PostBatch waits for an account of spec.accounts, or for an account on a
	// platform of spec.platforms, or that a Post waits for its account. Both wait at most until they are due.
	ReasonSocialAccountNotFound Reason = "SocialAccountNotFound"
	// ReasonAwaitingApproval means that a post, or posts of a batch, are held until a user with the verb approve on
	// postbatches approves them.
	ReasonAwaitingApproval Reason = "AwaitingApproval"
	// ReasonScheduled means that all posts of a PostBatch, or a Post, wait for their scheduled time.
	ReasonScheduled Reason = "Scheduled"
	// ReasonPublished means that all posts of a PostBatch are published.
	ReasonPublished Reason = "Published"
	// ReasonCancelled means that posts of a PostBatch were cancelled, and the others are published.
	ReasonCancelled Reason = "Cancelled"
	// ReasonPartlyFailed means that some posts of a PostBatch failed or were rejected. The message lists them.
	ReasonPartlyFailed Reason = "PartlyFailed"
	// ReasonMissedSchedule means that a PostBatch was created after its scheduled time. The PostBatch never posts.
	ReasonMissedSchedule Reason = "MissedSchedule"
	// ReasonClockSkew means that a Post waits because the clocks of the manager and the Kubernetes API server differ by
	// more than a minute. Either clock could be wrong, so no post is sent, and no post fails for being late.
	ReasonClockSkew Reason = "ClockSkew"
	// ReasonPostingSuspended means that a Post waits because spec.postingSuspended of its Brand is true.
	ReasonPostingSuspended Reason = "PostingSuspended"
	// ReasonOutcomeUnknown means that it is unknown whether the platform accepted a Post. The controller looks the post
	// up there.
	ReasonOutcomeUnknown Reason = "OutcomeUnknown"
	// ReasonFirstCommentFailed is the reason of an event. It means that the first comment of a published Post failed, or
	// that its outcome is unknown.
	ReasonFirstCommentFailed Reason = "FirstCommentFailed"
	// ReasonRevoked means that an APIKey is revoked.
	ReasonRevoked Reason = "Revoked"
	// ReasonExpired means that an APIKey has expired.
	ReasonExpired Reason = "Expired"
	// ReasonTooManyKeys means that a Brand has more than ten usable API keys. The newest keys are not accepted.
	ReasonTooManyKeys Reason = "TooManyKeys"
	// ReasonWrongName means that an Account is not named "account", or that an AccountAnalytics is not named like its
	// SocialAccount.
	ReasonWrongName Reason = "WrongName"
)

// Reasons of Ready on WebhookEndpoints.
const (
	// ReasonGone means that the endpoint returned 410. It receives no events until its spec changes.
	ReasonGone Reason = "EndpointGone"
	// ReasonFailing means that all attempts failed for five days. The endpoint receives no events until its spec changes.
	ReasonFailing Reason = "EndpointFailing"
	// ReasonRetrying means that the last attempts failed. They are repeated.
	ReasonRetrying Reason = "Retrying"
	// ReasonSecretInvalid means that the Secret of spec.secretRef is not a signing secret of Reelops.
	ReasonSecretInvalid Reason = "SecretInvalid"
	// ReasonTooManyEndpoints means that the account has more endpoints than allowed. The newest receive no events.
	ReasonTooManyEndpoints Reason = "TooManyEndpoints"
)

// Reasons of ContentCurrent.
const (
	// ReasonUpToDate means that the posts publish the newest revision.
	ReasonUpToDate Reason = "UpToDate"
	// ReasonNewerRevision means that the short has a newer revision than the posts publish. The message contains the
	// cause.
	ReasonNewerRevision Reason = "NewerRevision"
	// ReasonShortNotFound means that the short was deleted. Its files are kept until the posts have ended.
	ReasonShortNotFound Reason = "ShortNotFound"
	// ReasonRevisionMoved is the reason of an event. It means that a post was moved to the newest revision.
	ReasonRevisionMoved Reason = "RevisionMoved"
)

// Reasons of the conditions Written and Drawn.
const (
	// ReasonByHand means that the texts are in the spec.
	ReasonByHand Reason = "ByHand"
	// ReasonGenerated means that the texts were generated.
	ReasonGenerated Reason = "Generated"
	// ReasonTextModelNotConfigured means that the context has less text than the slideshow has slides, and no text model
	// is configured to generate the rest.
	ReasonTextModelNotConfigured Reason = "TextModelNotConfigured"
	// ReasonTextModelNotReady means that the text model does not accept requests yet: it is being started, downloaded or
	// loaded.
	ReasonTextModelNotReady Reason = "TextModelNotReady"
	// ReasonNormalised means that slides were rendered with values that normalization changed.
	ReasonNormalised Reason = "Normalised"
	// ReasonDrawn means that slides were rendered as specified.
	ReasonDrawn Reason = "Drawn"
)
