// SPDX-License-Identifier: Apache-2.0

package v1beta1

// ConditionType is the type of a condition on any kind here.
type ConditionType string

// Condition types. Ready is the summary on every kind; the others are parts of it.
const (
	// ConditionReady is true when the object is what its spec asks for.
	ConditionReady ConditionType = "Ready"
	// ConditionStalled is true only when a person or a change of the spec is needed; otherwise it is absent.
	ConditionStalled ConditionType = "Stalled"
	// ConditionWritten is true when a slideshow's texts are there, by hand or by the writer.
	ConditionWritten ConditionType = "Written"
	// ConditionDrawn is true when a slideshow's slide pictures of the current revision are stored.
	ConditionDrawn ConditionType = "Drawn"
	// ConditionContentCurrent is true when the open posts of a PostBatch publish the newest revision of its short. It is absent without
	// open posts.
	ConditionContentCurrent ConditionType = "ContentCurrent"
	// ConditionConfined is false when a pod opened files of users, or was to open them, on a node that cannot confine the programs for
	// that in full; otherwise it is absent.
	ConditionConfined ConditionType = "Confined"
)

// Reason is a condition's reason. Renaming one is a change of the API.
type Reason string

// Reasons of Ready on every kind.
const (
	// ReasonReady surfaces when everything the spec asks for is there.
	ReasonReady Reason = "Ready"
	// ReasonProgressing surfaces while work is going on.
	ReasonProgressing Reason = "Progressing"
	// ReasonQueued surfaces while work waits for a free place.
	ReasonQueued Reason = "Queued"
	// ReasonSuspended surfaces when spec.suspend is true: nothing is done until it is false.
	ReasonSuspended Reason = "Suspended"
	// ReasonConfinementMissing surfaces on Confined when the kernel or the container runtime of the node lacks Landlock or seccomp filters.
	ReasonConfinementMissing Reason = "ConfinementMissing"
	// ReasonFailed surfaces when the work has failed for good; the message says why and what to do.
	ReasonFailed Reason = "Failed"
	// ReasonBrandNotFound surfaces when spec.brandRef names no Brand in the namespace.
	ReasonBrandNotFound Reason = "BrandNotFound"
	// ReasonAccountNotFound surfaces when the namespace has no Account.
	ReasonAccountNotFound Reason = "AccountNotFound"
	// ReasonMediaNotFound surfaces when a slide names a MediaAsset that is not in the namespace.
	ReasonMediaNotFound Reason = "MediaNotFound"
	// ReasonSourceNotFound surfaces when a RenderJob names no Slideshow in the namespace.
	ReasonSourceNotFound Reason = "SourceNotFound"
	// ReasonPackNotFound surfaces when spec.imageSource.packRef names no MediaPack in the namespace.
	ReasonPackNotFound Reason = "PackNotFound"
	// ReasonTrackNotFound surfaces when spec.music names no MusicTrack.
	ReasonTrackNotFound Reason = "TrackNotFound"
	// ReasonTrackNotReady surfaces while the named MusicTrack has not been taken in.
	ReasonTrackNotReady Reason = "TrackNotReady"
	// ReasonMediaNotReady surfaces while a named MediaAsset has not been fetched and checked.
	ReasonMediaNotReady Reason = "MediaNotReady"
	// ReasonRenderFailed surfaces when the slides are ready and the video that spec.autoRender asks for has failed.
	ReasonRenderFailed Reason = "RenderFailed"
	// ReasonFileNotFound surfaces while the blob store has no file under the key of spec.source, or lacks a file that a Post publishes; the
	// file is looked for again.
	ReasonFileNotFound Reason = "FileNotFound"
	// ReasonSourceUnavailable surfaces while the URL or the blob store of spec.source returns no file; the file is requested again.
	ReasonSourceUnavailable Reason = "SourceUnavailable"
	// ReasonQuotaExceeded surfaces when the plan's slideshows of this period are used up.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonInsufficientCredits surfaces when AI pictures cost more credits than the plan has left in this period.
	ReasonInsufficientCredits Reason = "InsufficientCredits"
	// ReasonTooFarAhead surfaces while spec.scheduledAt of a PostBatch is more than 365 days ahead. Posts are created within 365 days.
	ReasonTooFarAhead Reason = "TooFarAhead"
	// ReasonShortNotReady surfaces while a PostBatch waits for its short: it is not there yet, or is still being made.
	ReasonShortNotReady Reason = "ShortNotReady"
	// ReasonSocialAccountNotFound surfaces while a PostBatch waits for an account that spec.accounts names, or for one on a platform of
	// spec.platforms, and while a Post waits for its account, at most until they are due.
	ReasonSocialAccountNotFound Reason = "SocialAccountNotFound"
	// ReasonAwaitingApproval surfaces while posts are held until somebody who may approve sets spec.approved.
	ReasonAwaitingApproval Reason = "AwaitingApproval"
	// ReasonScheduled surfaces when all posts of a PostBatch wait for their time, and when a Post waits for its time.
	ReasonScheduled Reason = "Scheduled"
	// ReasonPublished surfaces when all posts of a PostBatch came out.
	ReasonPublished Reason = "Published"
	// ReasonCancelled surfaces when posts of a PostBatch were cancelled, and the others came out.
	ReasonCancelled Reason = "Cancelled"
	// ReasonPartlyFailed surfaces when some posts of a PostBatch failed or were refused; the message names them.
	ReasonPartlyFailed Reason = "PartlyFailed"
	// ReasonMissedSchedule surfaces when a PostBatch was made after its time: it never posts.
	ReasonMissedSchedule Reason = "MissedSchedule"
	// ReasonClockSkew surfaces while a Post waits because the clocks of the manager and the API server differ by more than a
	// minute: either could be wrong, so nothing is sent and nothing fails for being late.
	ReasonClockSkew Reason = "ClockSkew"
	// ReasonOutcomeUnknown surfaces while nobody knows whether a platform took a Post: it is looked for there.
	ReasonOutcomeUnknown Reason = "OutcomeUnknown"
	// ReasonFirstCommentFailed surfaces in an event when the first comment of a published Post was not written, or is unknown.
	ReasonFirstCommentFailed Reason = "FirstCommentFailed"
	// ReasonRevoked surfaces when an APIKey was revoked.
	ReasonRevoked Reason = "Revoked"
	// ReasonExpired surfaces when an APIKey is past its expiry.
	ReasonExpired Reason = "Expired"
	// ReasonTooManyKeys surfaces when a Brand holds more than ten usable keys: the newest are not accepted.
	ReasonTooManyKeys Reason = "TooManyKeys"
	// ReasonWrongName surfaces when an Account is not named "account".
	ReasonWrongName Reason = "WrongName"
)

// Reasons of ContentCurrent.
const (
	// ReasonUpToDate surfaces when the posts publish the newest revision.
	ReasonUpToDate Reason = "UpToDate"
	// ReasonNewerRevision surfaces when the short has a newer revision than the posts publish; the message says why they do not.
	ReasonNewerRevision Reason = "NewerRevision"
	// ReasonShortNotFound surfaces when the short was deleted. Its files are kept until the posts have ended.
	ReasonShortNotFound Reason = "ShortNotFound"
	// ReasonRevisionMoved surfaces in an event when a post was moved to the newest revision.
	ReasonRevisionMoved Reason = "RevisionMoved"
)

// Reasons of the parts.
const (
	// ReasonByHand surfaces when spec.slides holds the texts.
	ReasonByHand Reason = "ByHand"
	// ReasonGenerated surfaces when the writer made the texts.
	ReasonGenerated Reason = "Generated"
	// ReasonTextModelNotConfigured surfaces when the context holds less text than the slideshow has slides, and no text model is
	// configured that could write the rest.
	ReasonTextModelNotConfigured Reason = "TextModelNotConfigured"
	// ReasonTextModelNotReady surfaces while the text model does not take requests yet: it is being started, downloaded or loaded.
	ReasonTextModelNotReady Reason = "TextModelNotReady"
	// ReasonNormalised surfaces when slides were drawn and the normaliser had to change something.
	ReasonNormalised Reason = "Normalised"
	// ReasonDrawn surfaces when slides were drawn as given.
	ReasonDrawn Reason = "Drawn"
)
