// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PostState is the state of a post.
// +kubebuilder:validation:Enum=draft;pending;success;failed;scheduled;cancelled;retrying
type PostState string

// FinalizerPost blocks the deletion of a Post until every attempt that the platform may have accepted is resolved, and
// its files are deleted from the blob store. A client that creates a Post sets the finalizer on creation.
const FinalizerPost = "reelops.dev/post-ledger"

// FinalizerPostBatch blocks the deletion of a PostBatch until its unpublished posts are cancelled and its posts in
// flight are resolved.
const FinalizerPostBatch = "reelops.dev/post-batch"

// Post states. Success, failed and cancelled are final.
const (
	PostHeld      PostState = "draft"
	PostPending   PostState = "pending"
	PostSuccess   PostState = "success"
	PostFailed    PostState = "failed"
	PostScheduled PostState = "scheduled"
	PostCancelled PostState = "cancelled"
	PostRetrying  PostState = "retrying"
)

// Final reports whether the state is final.
func (s PostState) Final() bool { return s == PostSuccess || s == PostFailed || s == PostCancelled }

// DeliveryState is the state of a post on its platform.
// +kubebuilder:validation:Enum=published;processing;in_inbox;private;unconfirmed
type DeliveryState string

// Delivery states.
const (
	DeliveryPublished   DeliveryState = "published"
	DeliveryProcessing  DeliveryState = "processing"
	DeliveryInInbox     DeliveryState = "in_inbox"
	DeliveryPrivate     DeliveryState = "private"
	DeliveryUnconfirmed DeliveryState = "unconfirmed"
)

// ShortRef is a reference to a short: a Slideshow or a Video.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.id)",message="give exactly one of name (a Slideshow or Video in the namespace) and id (a short)"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || has(self.name)",message="kind needs name: an id identifies a short without its kind"
type ShortRef struct {
	// Kind of the short. The kind is required only if a Slideshow and a Video have the same name.
	// +optional
	// +kubebuilder:validation:Enum=Slideshow;Video
	Kind string `json:"kind,omitempty"`
	// Name of the Slideshow or Video.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// ID of the short.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ID int64 `json:"id,omitempty"`
}

// PostText replaces the title and the caption of the short. A caption is sent unchanged, without the hashtags of the
// short.
type PostText struct {
	// Title of the post. Absent for an account: the title of the batch. Absent for the batch: the title of the short.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Title *string `json:"title,omitempty"`
	// Caption of the post, sent without the hashtags of the short. Absent for an account: the caption of the batch.
	// Absent for the batch: the caption and the hashtags of the short.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Caption *string `json:"caption,omitempty"`
}

// PostTarget is one account that a batch posts to.
// +kubebuilder:validation:XValidation:rule="!has(self.accepted) || has(self.postID)",message="accepted needs a postID: only Reelops sets both"
type PostTarget struct {
	// Name of the SocialAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// PostID is the id that is reserved for the post on this account. Reelops sets it, or a user with the verb assign on
	// identities to restore a backup. Omit it in manifests. The target fails if a post of another batch has the id.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	PostID int64 `json:"postID,omitempty"`
	// PostText replaces the texts of the batch for this account.
	PostText `json:",inline"`
	// PostSettings replace the brand's posting defaults for this account.
	PostSettings `json:",inline"`
	// Accepted is the content of the post as POST /posts accepted it. The Post is created with exactly this content, even
	// if the short, the account or the brand's defaults have changed. The reelops-apiserver sets it together with postID.
	// Omit it in manifests. Without it, a post has the content that the short has when the Post is created.
	// +optional
	Accepted *AcceptedPost `json:"accepted,omitempty"`
}

// AcceptedPost is the content of one accepted post. The fields have the meaning of those of PostSpec.
type AcceptedPost struct {
	// Platform of the account.
	Platform Platform `json:"platform"`
	// Revision of the short whose content is published.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// Media contains the files that are published.
	Media PostMedia `json:"media"`
	// Title that is sent to the platform. Empty: none.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Title string `json:"title,omitempty"`
	// Caption that is sent to the platform, including hashtags. Empty: none.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Caption string `json:"caption,omitempty"`
	// Tags for platforms that have a separate list of tags.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// Settings that are sent to the platform: those of the target, completed with the brand's posting defaults.
	// +optional
	Settings *PostSettings `json:"settings,omitempty"`
}

// EditApproval approves one edited post of a batch.
type EditApproval struct {
	// Account is the name of the SocialAccount of the post.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Account string `json:"account"`
	// Edit is spec.edit.number of the content that is approved. A later edit needs another approval.
	// +kubebuilder:validation:Minimum=1
	Edit int64 `json:"edit"`
}

// RevisionPolicy selects the revision of a short that is published.
// +kubebuilder:validation:Enum=pinned;latest
type RevisionPolicy string

// Revision policies.
const (
	RevisionPinned RevisionPolicy = "pinned"
	RevisionLatest RevisionPolicy = "latest"
)

// PostBatchSpec is the desired state of the PostBatch: the short to publish, the accounts and the time.
// +kubebuilder:validation:XValidation:rule="(has(self.accounts) && size(self.accounts) > 0) || (has(self.platforms) && size(self.platforms) > 0)",message="a PostBatch needs accounts (names of SocialAccounts) or platforms (all accounts of the brand on them)"
// +kubebuilder:validation:XValidation:rule="has(self.scheduledAt)",message="a PostBatch needs scheduledAt, its time of publication: a manifest without it would publish again when it is restored or applied to another cluster"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef && self.shortRef == oldSelf.shortRef && self.scheduledAt == oldSelf.scheduledAt && self.postingMode == oldSelf.postingMode && has(self.accounts) == has(oldSelf.accounts) && (!has(self.accounts) || self.accounts == oldSelf.accounts) && has(self.platforms) == has(oldSelf.platforms) && (!has(self.platforms) || self.platforms == oldSelf.platforms) && has(self.media) == has(oldSelf.media) && (!has(self.media) || self.media == oldSelf.media) && has(self.title) == has(oldSelf.title) && (!has(self.title) || self.title == oldSelf.title) && has(self.caption) == has(oldSelf.caption) && (!has(self.caption) || self.caption == oldSelf.caption)",message="the content, accounts and time of a PostBatch cannot be changed: create a new one, and delete this one to cancel its unpublished posts"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.requireApproval) || (has(self.requireApproval) && self.requireApproval == oldSelf.requireApproval)",message="requireApproval cannot be changed"
type PostBatchSpec struct {
	// BrandRef is the brand that posts.
	BrandRef LocalRef `json:"brandRef"`
	// ShortRef is the short to publish. It may be created later than the batch, until the batch is due.
	ShortRef ShortRef `json:"shortRef"`
	// Accounts to post to, in order. At most 50.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +listType=map
	// +listMapKey=name
	Accounts []PostTarget `json:"accounts,omitempty"`
	// Platforms to post to: every account of the brand on these platforms when the batch is first processed. For a
	// platform without an account, the batch waits for one until it is due.
	// +optional
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	Platforms []Platform `json:"platforms,omitempty"`
	// ScheduledAt is the time of publication. A batch that is created more than two minutes after this time never posts,
	// so that a restored backup or an old manifest does not publish again. A batch that is more than 365 days ahead waits
	// until it is within 365 days.
	// +optional
	ScheduledAt *metav1.Time `json:"scheduledAt,omitempty"`
	// Immediate marks a batch that is published at once: scheduledAt is the time of the request.
	// +optional
	Immediate bool `json:"immediate,omitempty"`
	// PostingMode is direct (published) or draft (left as a draft on the platform that the user finishes). Default
	// direct.
	// +optional
	// +kubebuilder:default=direct
	// +kubebuilder:validation:Enum=direct;draft
	PostingMode string `json:"postingMode,omitempty"`
	// Media is the published format: video, photo_set (the slides as photos) or auto. auto publishes the current video,
	// or the slides of a short that was never rendered. Slides that were edited after the last render can be published
	// only as photo_set. Default auto.
	// +optional
	// +kubebuilder:validation:Enum=auto;video;photo_set
	Media string `json:"media,omitempty"`
	// PostText applies to all accounts that do not set their own texts.
	PostText `json:",inline"`
	// AutoAddMusic permits TikTok to add music to a photo set. Default false.
	// +optional
	AutoAddMusic bool `json:"autoAddMusic,omitempty"`
	// Suspend keeps the posts as drafts until it is false. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// RequireApproval holds the posts until an approver approves them, also if the brand requires no approval. Default
	// false: as the brand requires.
	// +optional
	RequireApproval bool `json:"requireApproval,omitempty"`
	// Approved releases posts that are held for approval, as they were accepted. A post that was edited needs
	// an entry in approvedEdits. Only users with the verb approve on postbatches can set it.
	// +optional
	Approved bool `json:"approved,omitempty"`
	// ApprovedEdits release posts that were edited. Only users with the verb approve on postbatches can change them;
	// kubectl reelops approve sets them.
	// +optional
	// +kubebuilder:validation:MaxItems=250
	// +listType=map
	// +listMapKey=account
	ApprovedEdits []EditApproval `json:"approvedEdits,omitempty"`
	// RevisionPolicy selects the revision of the short that is published. latest moves each post to the newest ready
	// revision until the post is due. pinned keeps the revision that the post was created with. Edited posts, posts of an
	// approved batch, and posts of a brand that requires approval are always pinned. Default latest, or pinned for a
	// batch whose accounts have a postID.
	// +optional
	RevisionPolicy RevisionPolicy `json:"revisionPolicy,omitempty"`
}

// TargetStatus is the outcome of one target.
type TargetStatus struct {
	// Platform of the target. Empty if the account does not exist.
	// +optional
	Platform Platform `json:"platform,omitempty"`
	// Account is the name of the SocialAccount. Empty if the platform has no account.
	// +optional
	Account string `json:"account,omitempty"`
	// Post is the name of the Post. Empty if no Post could be created.
	// +optional
	Post string `json:"post,omitempty"`
	// PostID is the id of the post.
	// +optional
	PostID int64 `json:"postID,omitempty"`
	// State of the post.
	State PostState `json:"state"`
	// Error is the reason why the target failed or was rejected, or what it waits for until it is due.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// PostBatchStatus is the observed state of the PostBatch.
type PostBatchStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the batch.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Overall is the outcome of the batch: failed if every target failed, partial if some targets failed, else success.
	// Absent while targets are open.
	// +optional
	// +kubebuilder:validation:Enum=success;partial;failed
	Overall string `json:"overall,omitempty"`
	// ShortID is the id of the published short.
	// +optional
	ShortID int64 `json:"shortID,omitempty"`
	// Revision of the short that the open posts publish. If they differ, the lowest one. Absent without open posts.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// LatestRevision is the newest revision of the short. Absent while it is not ready to be published, and without open
	// posts.
	// +optional
	LatestRevision int64 `json:"latestRevision,omitempty"`
	// Targets of the batch, in order. They are resolved once.
	// +optional
	// +kubebuilder:validation:MaxItems=250
	// +listType=atomic
	Targets []TargetStatus `json:"targets,omitempty"`
	// Published is the number of targets that succeeded.
	// +optional
	Published int32 `json:"published"`
	// Failed is the number of failed targets.
	// +optional
	Failed int32 `json:"failed"`
	// Open is the number of targets that have not ended.
	// +optional
	Open int32 `json:"open"`
}

// PostBatch publishes one short on one or more accounts, at once or at a scheduled time. Deleting a PostBatch cancels
// its unpublished posts.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName={batch,rlbatch}
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.shortRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.postingMode`
// +kubebuilder:selectablefield:JSONPath=`.status.overall`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="When",type=string,JSONPath=`.spec.scheduledAt`
// +kubebuilder:printcolumn:name="Revision",type=integer,JSONPath=`.status.revision`,priority=1
// +kubebuilder:printcolumn:name="Latest",type=integer,JSONPath=`.status.latestRevision`,priority=1
// +kubebuilder:printcolumn:name="Published",type=integer,JSONPath=`.status.published`
// +kubebuilder:printcolumn:name="Open",type=integer,JSONPath=`.status.open`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.failed`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PostBatch struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PostBatchSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status PostBatchStatus `json:"status,omitempty"`
}

// PostBatchList is a list of PostBatch.
//
// +kubebuilder:object:root=true
type PostBatchList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PostBatch `json:"items"`
}

// PostMedia is the published content: stored files that no longer change.
// +kubebuilder:validation:XValidation:rule="!has(self.durationMilliseconds) || (has(self.durationMillis) && self.durationMilliseconds == self.durationMillis)",message="durationMilliseconds and durationMillis must be equal"
type PostMedia struct {
	// Kind is video or photo_set.
	// +kubebuilder:validation:Enum=video;photo_set
	Kind string `json:"kind"`
	// VideoKey is the blob store key of the MP4.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	VideoKey string `json:"videoKey,omitempty"`
	// Bytes is the size of the video.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`
	// SHA256 of the video: 64 lower-case hexadecimal digits. A video whose digest differs at publication is not sent. If
	// unset, the digest is not compared.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256,omitempty"`
	// DurationMilliseconds of the video.
	// +optional
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// DurationMillis is the duration of the video in milliseconds.
	//
	// Deprecated: use durationMilliseconds. DurationMillis is written for as long as this version is served.
	// +optional
	DurationMillis int64 `json:"durationMillis,omitempty"`
	// Width of the video in pixels.
	// +optional
	Width int32 `json:"width,omitempty"`
	// Height of the video in pixels.
	// +optional
	Height int32 `json:"height,omitempty"`
	// PhotoKeys are the blob store keys of the slide images, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +kubebuilder:validation:items:MaxLength=1024
	// +listType=atomic
	PhotoKeys []string `json:"photoKeys,omitempty"`
	// AltTexts of the images, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +kubebuilder:validation:items:MaxLength=1000
	// +listType=atomic
	AltTexts []string `json:"altTexts,omitempty"`
	// Cover of the post, resolved when the post was accepted. Absent: the platform chooses.
	// +optional
	Cover *PostMediaCover `json:"cover,omitempty"`
}

// PostMediaCover is a resolved cover: a frame of the video, a photo or an image.
// +kubebuilder:validation:XValidation:rule="!has(self.offsetMilliseconds) || (has(self.offsetMillis) && self.offsetMilliseconds == self.offsetMillis)",message="offsetMilliseconds and offsetMillis must be equal"
type PostMediaCover struct {
	// OffsetMilliseconds is the time in the video of the frame that becomes the cover, in milliseconds from the start.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OffsetMilliseconds *int64 `json:"offsetMilliseconds,omitempty"`
	// OffsetMillis is the time in the video of the frame that becomes the cover, in milliseconds from the start.
	//
	// Deprecated: use offsetMilliseconds. OffsetMillis is written for as long as this version is served.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OffsetMillis *int64 `json:"offsetMillis,omitempty"`
	// Photo is the index of the photo that becomes the cover of a photo set, from 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=34
	Photo *int32 `json:"photo,omitempty"`
	// ImageKey is the blob store key of an image that becomes the cover of a video. The platform receives it as JPEG.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	ImageKey string `json:"imageKey,omitempty"`
}

// PostEdit is the record of the edits of a post.
type PostEdit struct {
	// Number of edits of the content, from 1. It is 0 if only the time was changed.
	// +kubebuilder:validation:Minimum=0
	Number int64 `json:"number"`
	// By is the user or the API key that requested the last edit.
	// +optional
	// +kubebuilder:validation:MaxLength=400
	By string `json:"by,omitempty"`
	// At is the time of the last edit.
	At metav1.Time `json:"at"`
	// AcceptedFor is the time of publication with which the post was accepted.
	AcceptedFor metav1.MicroTime `json:"acceptedFor"`
}

// ApprovalState is the decision of an approver.
// +kubebuilder:validation:Enum=approved;returned
type ApprovalState string

// Decisions of an approver.
const (
	// ApprovalApproved releases the post.
	ApprovalApproved ApprovalState = "approved"
	// ApprovalReturned keeps the post as a draft until its author edits it.
	ApprovalReturned ApprovalState = "returned"
)

// PostApproval is the last decision of an approver about a post.
type PostApproval struct {
	// State is approved or returned.
	State ApprovalState `json:"state"`
	// Edit is spec.edit.number of the content that was decided about, or 0. A later edit needs another decision.
	// +kubebuilder:validation:Minimum=0
	Edit int64 `json:"edit"`
	// Comment of the approver.
	// +optional
	// +kubebuilder:validation:MaxLength=1000
	Comment string `json:"comment,omitempty"`
	// By is the user or the API key that decided. Absent if the post was approved with its PostBatch.
	// +optional
	// +kubebuilder:validation:MaxLength=400
	By string `json:"by,omitempty"`
	// At is the time of the decision.
	At metav1.Time `json:"at"`
}

// PostSpec is the desired state of the Post: one post on one account.
// +kubebuilder:validation:XValidation:rule="self.account == oldSelf.account && self.postingMode == oldSelf.postingMode && self.batch == oldSelf.batch && self.brandRef == oldSelf.brandRef && self.platform == oldSelf.platform && has(self.autoAddMusic) == has(oldSelf.autoAddMusic) && (!has(self.autoAddMusic) || self.autoAddMusic == oldSelf.autoAddMusic)",message="the account, platform, posting mode, batch and brand of a Post cannot be changed"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.edit) || (has(self.edit) && self.edit.number >= oldSelf.edit.number && self.edit.acceptedFor == oldSelf.edit.acceptedFor)",message="the record of the edits of a Post cannot be removed"
// +kubebuilder:validation:XValidation:rule="!oldSelf.cancel || self.cancel",message="a cancelled Post stays cancelled"
// +kubebuilder:validation:XValidation:rule="!has(self.accountRef) || self.accountRef.name == self.account",message="accountRef and account must name the same SocialAccount"
// +kubebuilder:validation:XValidation:rule="!has(self.batchRef) || self.batchRef.name == self.batch",message="batchRef and batch must name the same PostBatch"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.requireApproval) || (has(self.requireApproval) && self.requireApproval == oldSelf.requireApproval)",message="requireApproval cannot be changed"
type PostSpec struct {
	// BrandRef is the brand that posts.
	BrandRef LocalRef `json:"brandRef"`
	// BatchRef is the PostBatch that the post belongs to. Absent on posts that were created by v0.1.0.
	// +optional
	BatchRef *LocalRef `json:"batchRef,omitempty"`
	// Batch is the name of the PostBatch.
	//
	// Deprecated: use batchRef. Batch is required for as long as this version is served: v0.1.0 reads it.
	// +kubebuilder:validation:MaxLength=253
	Batch string `json:"batch"`
	// AccountRef is the SocialAccount that the post is published with. Absent on posts that were created by v0.1.0.
	// +optional
	AccountRef *LocalRef `json:"accountRef,omitempty"`
	// Account is the name of the SocialAccount.
	//
	// Deprecated: use accountRef. Account is required for as long as this version is served: v0.1.0 reads it.
	// +kubebuilder:validation:MaxLength=253
	Account string `json:"account"`
	// Platform of the account.
	Platform Platform `json:"platform"`
	// ShortID is the id of the published short.
	ShortID int64 `json:"shortID"`
	// Revision of the short that is published.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// Media is the content that is published.
	Media PostMedia `json:"media"`
	// Title that is sent to the platform. Empty: none.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=10000
	Title string `json:"title"`
	// Caption that is sent to the platform, including hashtags. Empty: none.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=10000
	Caption string `json:"caption"`
	// Tags for platforms that have a separate list of tags.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// PostingMode is direct or draft.
	// +kubebuilder:validation:Enum=direct;draft
	PostingMode string `json:"postingMode"`
	// AutoAddMusic permits TikTok to add music to a photo set. Default false.
	// +optional
	AutoAddMusic bool `json:"autoAddMusic,omitempty"`
	// Settings that are sent to the platform: those of the batch, completed with the brand's posting defaults when the
	// post was accepted.
	// +optional
	Settings *PostSettings `json:"settings,omitempty"`
	// ScheduledAt is the time of publication.
	ScheduledAt metav1.MicroTime `json:"scheduledAt"`
	// Immediate marks a post that was requested without a time.
	// +optional
	Immediate bool `json:"immediate,omitempty"`
	// Edit is the record of the edits of the post. Absent if the post is as it was accepted.
	// +optional
	Edit *PostEdit `json:"edit,omitempty"`
	// Approval is the last decision of an approver about the post. Absent before the first.
	// +optional
	Approval *PostApproval `json:"approval,omitempty"`
	// RequireApproval holds the post until an approver approves it, also if the brand requires no approval. It is that of
	// the batch. Default false.
	// +optional
	RequireApproval bool `json:"requireApproval,omitempty"`
	// Hold keeps the post as a draft while the batch is suspended or the post waits for approval. Default false.
	// +optional
	// +kubebuilder:default=false
	Hold bool `json:"hold"`
	// Cancel requests that the post is not published. A cancelled post stays cancelled. Set cancel in an update with the
	// resourceVersion, so that either the attempt or the cancellation takes effect, never both. Default false.
	// +optional
	// +kubebuilder:default=false
	Cancel bool `json:"cancel"`
}

// AttemptState is the state of an attempt to publish.
// +kubebuilder:validation:Enum=Intended;Accepted;Rejected;NotSent;Unknown
type AttemptState string

// Attempt states.
const (
	// AttemptIntended was recorded before the call. The outcome of the call is not recorded yet.
	AttemptIntended AttemptState = "Intended"
	// AttemptAccepted was accepted by the platform.
	AttemptAccepted AttemptState = "Accepted"
	// AttemptRejected was rejected by the platform. Nothing was published.
	AttemptRejected AttemptState = "Rejected"
	// AttemptNotSent did not reach the platform.
	AttemptNotSent AttemptState = "NotSent"
	// AttemptUnknown may have been accepted. The attempt is looked up on the platform and never sent again.
	AttemptUnknown AttemptState = "Unknown"
)

// Open reports whether the platform may have accepted the attempt and its outcome is unresolved.
func (s AttemptState) Open() bool { return s == AttemptIntended || s == AttemptUnknown }

// PostAttempt is the record of one call that may publish.
type PostAttempt struct {
	// Number of the attempt, from 1.
	Number int32 `json:"number"`
	// State of the attempt.
	State AttemptState `json:"state"`
	// Digest is the SHA-256 of the sent content, in hexadecimal digits.
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest"`
	// StartedAt is the time at which the attempt was recorded, immediately before the call.
	StartedAt metav1.MicroTime `json:"startedAt"`
	// SettledAt is the time at which the outcome was known.
	// +optional
	SettledAt *metav1.MicroTime `json:"settledAt,omitempty"`
	// Handle is the platform's reference to the published content, from its response. The handle contains no secrets.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Handle string `json:"handle,omitempty"`
	// Looks is the number of times that the attempt was looked up on the platform.
	// +optional
	Looks int32 `json:"looks,omitempty"`
	// Error of the attempt.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// PostPreparation is the record of the uploads and other calls that precede the publishing call, so that only that
// call is left when the post is due. None of them is visible on the platform.
type PostPreparation struct {
	// Sealed is the encrypted state of the platform adapter, readable only by the manager, because upload URLs are
	// secrets.
	// +kubebuilder:validation:MaxLength=65536
	Sealed []byte `json:"sealed"`
	// Ready is true when only the publishing call is left.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// Digest of the prepared content, in the format of status.attempts. A preparation of other content is discarded. If
	// unset, the digest is not compared.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
	// ExpiresAt is the time at which the preparation expires on the platform.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// Times is the number of times that the preparation was started from the beginning.
	// +optional
	Times int32 `json:"times,omitempty"`
}

// PostMetrics are the metrics of a published post, as last reported by the platform. A metric that the platform does
// not report is absent, never 0.
type PostMetrics struct {
	// Views is the number of views of the post.
	// +optional
	Views *int64 `json:"views,omitempty"`
	// Likes is the number of likes of the post.
	// +optional
	Likes *int64 `json:"likes,omitempty"`
	// Comments is the number of comments on the post.
	// +optional
	Comments *int64 `json:"comments,omitempty"`
	// Shares is the number of shares of the post.
	// +optional
	Shares *int64 `json:"shares,omitempty"`
	// Favorites is the number of times that users saved the post.
	// +optional
	Favorites *int64 `json:"favorites,omitempty"`
	// ObservedAt is the time at which the platform reported these values.
	ObservedAt metav1.Time `json:"observedAt"`
}

// CommentState is the state of a first comment.
// +kubebuilder:validation:Enum=Intended;NotSent;Published;Failed;Unknown
type CommentState string

// Comment states. Published, Failed and Unknown are final.
const (
	// CommentIntended was recorded before the call. The comment may exist. The comment is looked up and never sent again
	// while its existence is uncertain.
	CommentIntended CommentState = "Intended"
	// CommentNotSent does not exist on the platform. The comment is sent again.
	CommentNotSent CommentState = "NotSent"
	// CommentPublished is on the platform.
	CommentPublished CommentState = "Published"
	// CommentFailed was rejected, or could not be sent in time.
	CommentFailed CommentState = "Failed"
	// CommentUnknown may exist. Lookups were inconclusive for an hour.
	CommentUnknown CommentState = "Unknown"
)

// Final reports whether the state is final.
func (s CommentState) Final() bool {
	return s == CommentPublished || s == CommentFailed || s == CommentUnknown
}

// PostComment is the record of the first comment of a post.
type PostComment struct {
	// State of the comment.
	State CommentState `json:"state"`
	// ID is the platform's id of the comment.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	ID string `json:"id,omitempty"`
	// Tries is the number of recorded calls.
	// +optional
	Tries int32 `json:"tries,omitempty"`
	// StartedAt is the time at which the last call was recorded, immediately before the call.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// SettledAt is the time at which the state became final.
	// +optional
	SettledAt *metav1.MicroTime `json:"settledAt,omitempty"`
	// Error of the last call. The error does not change the state of the post.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// PostStatus is the observed state of the Post.
type PostStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the post.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// State of the post: draft (held for approval or suspended), scheduled (waiting for its time), pending (due),
	// retrying (waiting for a retry), success, failed or cancelled. Absent before the first reconcile.
	// +optional
	State PostState `json:"state,omitempty"`
	// DeliveryState is the state of the post on its platform: processing, published, in_inbox (a draft in the account's
	// inbox), private (visible only to the account) or unconfirmed (it is unknown whether the platform accepted it).
	// Absent before the post is sent.
	// +optional
	DeliveryState DeliveryState `json:"deliveryState,omitempty"`
	// Preparation is the record of uploads and other calls before the post is due.
	// +optional
	Preparation *PostPreparation `json:"preparation,omitempty"`
	// Attempts to publish. Each is recorded before the call and updated with its outcome afterwards. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=number
	Attempts []PostAttempt `json:"attempts,omitempty"`
	// HeldUntil is the time at which a held post was released. A post that is released after its scheduled time is
	// published then, and its lateness counts from this time.
	// +optional
	HeldUntil *metav1.MicroTime `json:"heldUntil,omitempty"`
	// NextAttemptAt is the time of the next attempt while the state is retrying, or the time at which the platform limit
	// permits the post while the state is pending.
	// +optional
	NextAttemptAt *metav1.MicroTime `json:"nextAttemptAt,omitempty"`
	// Tries is the number of retried failures before the first recorded attempt (preparation, token, platform limit).
	// +optional
	Tries int32 `json:"tries,omitempty"`
	// PlatformPostID is the platform's id of the post.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PlatformPostID string `json:"platformPostID,omitempty"`
	// PostURL is the link to the post on the platform.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	PostURL string `json:"postURL,omitempty"`
	// PublishedAt is the time at which the post was first seen public, or was accepted.
	// +optional
	PublishedAt *metav1.Time `json:"publishedAt,omitempty"`
	// FinishedAt is the time at which the state became final.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// RecheckAt is the time of another check on the platform although the post is published: YouTube locks videos of
	// unaudited projects as private hours after it accepted them. Absent when no check is left.
	// +optional
	RecheckAt *metav1.Time `json:"recheckAt,omitempty"`
	// Warnings are sentences about deviations from the author's choices although the post was accepted, such as a cover
	// that the platform rejected.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=500
	// +listType=set
	Warnings []string `json:"warnings,omitempty"`
	// Error is the last failure.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// FirstComment is the record of the first comment. Absent before the comment is sent, and for posts without one.
	// +optional
	FirstComment *PostComment `json:"firstComment,omitempty"`
	// Metrics of a published post. Absent until they are read, and if the platform reports none. The AccountAnalytics
	// controller writes this field; the Post controller writes all others.
	// +optional
	Metrics *PostMetrics `json:"metrics,omitempty"`
	// Transitions are the last changes of state that webhook endpoints receive as events, oldest first. At most 16.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Transitions []Transition `json:"transitions,omitempty"`
}

// Post is one post on one account, created by a PostBatch. Its attempts are a ledger, so that no post is sent twice.
// Its content and its time can be edited until the first attempt is recorded. If spec.revisionPolicy of the batch is
// latest, the content of a post without edits follows the short until then.
//
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.attempts) || size(self.status.attempts) == 0 || (self.spec.media == oldSelf.spec.media && self.spec.title == oldSelf.spec.title && self.spec.caption == oldSelf.spec.caption && self.spec.shortID == oldSelf.spec.shortID && has(self.spec.revision) == has(oldSelf.spec.revision) && (!has(self.spec.revision) || self.spec.revision == oldSelf.spec.revision) && has(self.spec.tags) == has(oldSelf.spec.tags) && (!has(self.spec.tags) || self.spec.tags == oldSelf.spec.tags) && has(self.spec.settings) == has(oldSelf.spec.settings) && (!has(self.spec.settings) || self.spec.settings == oldSelf.spec.settings) && self.spec.scheduledAt == oldSelf.spec.scheduledAt && has(self.spec.immediate) == has(oldSelf.spec.immediate) && (!has(self.spec.immediate) || self.spec.immediate == oldSelf.spec.immediate))",message="the content and the time of a Post cannot be changed after its first attempt is recorded"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlpost
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.batch`
// +kubebuilder:selectablefield:JSONPath=`.spec.account`
// +kubebuilder:selectablefield:JSONPath=`.spec.platform`
// +kubebuilder:selectablefield:JSONPath=`.spec.shortID`
// +kubebuilder:selectablefield:JSONPath=`.status.state`
// +kubebuilder:selectablefield:JSONPath=`.status.deliveryState`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.metadata.labels.reelops\.dev/id`
// +kubebuilder:printcolumn:name="Platform",type=string,JSONPath=`.spec.platform`
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.spec.account`
// +kubebuilder:printcolumn:name="When",type=string,JSONPath=`.spec.scheduledAt`
// +kubebuilder:printcolumn:name="Error",type=string,JSONPath=`.status.error.code`
// +kubebuilder:printcolumn:name="Views",type=integer,JSONPath=`.status.metrics.views`
// +kubebuilder:printcolumn:name="Link",type=string,JSONPath=`.status.postURL`
// +kubebuilder:printcolumn:name="Comment",type=string,JSONPath=`.status.firstComment.state`,priority=1
// +kubebuilder:printcolumn:name="Approval",type=string,JSONPath=`.spec.approval.state`,priority=1
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Post struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PostSpec `json:"spec,omitempty"`
	// +kubebuilder:default={}
	Status PostStatus `json:"status,omitempty"`
}

// InFlight reports whether an attempt is recorded. The post can no longer be cancelled or edited then.
func (p *Post) InFlight() bool { return len(p.Status.Attempts) > 0 }

// Edits returns the number of edits of the content of the post.
func (p *Post) Edits() int64 {
	if p.Spec.Edit == nil {
		return 0
	}
	return p.Spec.Edit.Number
}

// PostList is a list of Post.
//
// +kubebuilder:object:root=true
type PostList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Post `json:"items"`
}
