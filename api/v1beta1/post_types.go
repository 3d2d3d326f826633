// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PostState is how far a post has come.
// +kubebuilder:validation:Enum=draft;pending;success;failed;scheduled;cancelled;retrying
type PostState string

// FinalizerPost holds a Post until an attempt that may have been taken is settled and its files are gone from the store. Whoever
// creates a Post sets it at once.
const FinalizerPost = "reelops.dev/post-ledger"

// FinalizerPostBatch holds a PostBatch until what has not gone out is cancelled and what is on its way is settled.
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

// Final says that nothing more happens.
func (s PostState) Final() bool { return s == PostSuccess || s == PostFailed || s == PostCancelled }

// DeliveryState is where on the platform a post is.
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

// ShortRef names a short: a Slideshow or a Video.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.id)",message="give exactly one of name (of a Slideshow or a Video in the namespace) and id (of a short)"
// +kubebuilder:validation:XValidation:rule="!has(self.kind) || has(self.name)",message="kind goes with a name: an id is a short's whatever its kind"
type ShortRef struct {
	// Kind of what is named; it is needed only where a Slideshow and a Video have the same name.
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

// PostText is sent instead of the short's own title and caption. A caption is sent as it is, without the short's
// hashtags.
type PostText struct {
	// Title; absent: the short's.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Title *string `json:"title,omitempty"`
	// Caption; absent: the short's.
	// +optional
	// +kubebuilder:validation:MaxLength=10000
	Caption *string `json:"caption,omitempty"`
}

// PostTarget is one account that a batch posts to.
type PostTarget struct {
	// Name of the SocialAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// PostID is the id reserved for the post on this account. It is set by Reelops, or by those who have the verb assign on
	// identities, to restore a backup; a manifest leaves it out. The target fails if another batch's post has the id.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	PostID int64 `json:"postID,omitempty"`
	// PostText says something else on this account.
	PostText `json:",inline"`
	// PostSettings choose something else on this account than the brand's posting defaults.
	PostSettings `json:",inline"`
}

// RevisionPolicy selects the revision of a short that is published.
// +kubebuilder:validation:Enum=pinned;latest
type RevisionPolicy string

// Revision policies.
const (
	RevisionPinned RevisionPolicy = "pinned"
	RevisionLatest RevisionPolicy = "latest"
)

// PostBatchSpec is what somebody wants published, where and when.
// +kubebuilder:validation:XValidation:rule="(has(self.accounts) && size(self.accounts) > 0) || (has(self.platforms) && size(self.platforms) > 0)",message="a PostBatch needs accounts (SocialAccounts by name) or platforms (every account of the brand there)"
// +kubebuilder:validation:XValidation:rule="has(self.scheduledAt)",message="a PostBatch needs scheduledAt, the moment it goes out: a manifest without one would post again whenever it is restored or applied to another cluster"
// +kubebuilder:validation:XValidation:rule="self.brandRef == oldSelf.brandRef && self.shortRef == oldSelf.shortRef && self.scheduledAt == oldSelf.scheduledAt && self.postingMode == oldSelf.postingMode && has(self.accounts) == has(oldSelf.accounts) && (!has(self.accounts) || self.accounts == oldSelf.accounts) && has(self.platforms) == has(oldSelf.platforms) && (!has(self.platforms) || self.platforms == oldSelf.platforms) && has(self.media) == has(oldSelf.media) && (!has(self.media) || self.media == oldSelf.media) && has(self.title) == has(oldSelf.title) && (!has(self.title) || self.title == oldSelf.title) && has(self.caption) == has(oldSelf.caption) && (!has(self.caption) || self.caption == oldSelf.caption)",message="what a PostBatch publishes, where and when cannot be changed: make a new one, and delete this one to cancel what has not gone out"
type PostBatchSpec struct {
	// BrandRef is the brand that posts.
	BrandRef LocalRef `json:"brandRef"`
	// ShortRef is what is published. It may come later than the batch, until it is due.
	ShortRef ShortRef `json:"shortRef"`
	// Accounts to post to, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	// +listType=map
	// +listMapKey=name
	Accounts []PostTarget `json:"accounts,omitempty"`
	// Platforms to post to: every account of the brand there, as they are when the batch is taken up. A platform without an account is
	// waited for until the batch is due.
	// +optional
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	Platforms []Platform `json:"platforms,omitempty"`
	// ScheduledAt is when it goes out. A batch that is made more than two minutes after that never posts: so no restored
	// backup and no old manifest publishes again. One that is more than 365 days ahead waits until it is not.
	// +optional
	ScheduledAt *metav1.Time `json:"scheduledAt,omitempty"`
	// Immediate says that scheduledAt is the moment of asking: it goes out at once.
	// +optional
	Immediate bool `json:"immediate,omitempty"`
	// PostingMode is direct (published) or draft (left where a person finishes it). Default direct.
	// +optional
	// +kubebuilder:default=direct
	// +kubebuilder:validation:Enum=direct;draft
	PostingMode string `json:"postingMode,omitempty"`
	// Media is what is published: video, photo_set (the slides as photos) or auto, the current video, or the slides of
	// a short that was never rendered. Slides that were edited after the render are published by photo_set alone.
	// Default auto.
	// +optional
	// +kubebuilder:validation:Enum=auto;video;photo_set
	Media string `json:"media,omitempty"`
	// PostText is for all accounts that have no texts of their own.
	PostText `json:",inline"`
	// AutoAddMusic lets TikTok add music to a photo set.
	// +optional
	AutoAddMusic bool `json:"autoAddMusic,omitempty"`
	// Suspend holds the posts back as drafts until it is false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// Approved releases posts that the brand's policy holds. It can be set by those alone who have the verb approve on
	// postbatches.
	// +optional
	Approved bool `json:"approved,omitempty"`
	// RevisionPolicy is the revision of the short that is published: latest moves each post to the newest revision that is ready, until the
	// post is due; pinned keeps the revision that the post was created with. Posts of an approved batch, and of a brand that requires
	// approval, are always pinned. Default latest, and pinned for a batch whose accounts have a postID.
	// +optional
	RevisionPolicy RevisionPolicy `json:"revisionPolicy,omitempty"`
}

// TargetStatus is what became of one target.
type TargetStatus struct {
	// Platform of the target; empty where a named account is not there.
	// +optional
	Platform Platform `json:"platform,omitempty"`
	// Account is the SocialAccount; empty where the platform has none.
	// +optional
	Account string `json:"account,omitempty"`
	// Post is the name of the Post; empty where none could be made.
	// +optional
	Post string `json:"post,omitempty"`
	// PostID is the post's id.
	// +optional
	PostID int64 `json:"postID,omitempty"`
	// State of the post.
	State PostState `json:"state"`
	// Error is why it failed or was not taken, or what it waits for until it is due.
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
	// Overall is how the batch ended: failed when every target failed, partial when some did, else success. Absent while targets are
	// open.
	// +optional
	// +kubebuilder:validation:Enum=success;partial;failed
	Overall string `json:"overall,omitempty"`
	// ShortID of what is published.
	// +optional
	ShortID int64 `json:"shortID,omitempty"`
	// Revision of the short that the open posts publish, the lowest if they differ; absent without open posts.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// LatestRevision is the newest revision of the short; absent while it is not ready to be published, and without open posts.
	// +optional
	LatestRevision int64 `json:"latestRevision,omitempty"`
	// Targets, resolved once, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=250
	// +listType=atomic
	Targets []TargetStatus `json:"targets,omitempty"`
	// Published, Failed and Open count the targets.
	// +optional
	Published int32 `json:"published"`
	// +optional
	Failed int32 `json:"failed"`
	// +optional
	Open int32 `json:"open"`
}

// PostBatch publishes one short on one or more accounts, at once or at a time. Deleting it cancels what has not gone out.
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

// PostMedia is exactly what is published: stored files that do not change any more.
// +kubebuilder:validation:XValidation:rule="!has(self.durationMilliseconds) || (has(self.durationMillis) && self.durationMilliseconds == self.durationMillis)",message="durationMilliseconds and durationMillis must be equal"
type PostMedia struct {
	// Kind is video or photo_set.
	// +kubebuilder:validation:Enum=video;photo_set
	Kind string `json:"kind"`
	// VideoKey of the MP4 in the blob store.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	VideoKey string `json:"videoKey,omitempty"`
	// Bytes of the video.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`
	// SHA256 of the video, 64 lower-case hexadecimal digits. A video that has another digest when it is published is not sent. If
	// unset, it is not compared.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	SHA256 string `json:"sha256,omitempty"`
	// DurationMilliseconds of the video.
	// +optional
	DurationMilliseconds int64 `json:"durationMilliseconds,omitempty"`
	// DurationMillis of the video.
	//
	// Deprecated: use durationMilliseconds. DurationMillis is written for as long as this version is served.
	// +optional
	DurationMillis int64 `json:"durationMillis,omitempty"`
	// Width and Height of the video in pixels.
	// +optional
	Width int32 `json:"width,omitempty"`
	// +optional
	Height int32 `json:"height,omitempty"`
	// PhotoKeys of the slides' pictures in the blob store, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +kubebuilder:validation:items:MaxLength=1024
	// +listType=atomic
	PhotoKeys []string `json:"photoKeys,omitempty"`
	// AltTexts of the pictures, in order.
	// +optional
	// +kubebuilder:validation:MaxItems=35
	// +kubebuilder:validation:items:MaxLength=1000
	// +listType=atomic
	AltTexts []string `json:"altTexts,omitempty"`
	// Cover that was chosen, as it was resolved when the post was accepted. Absent: the platform chooses.
	// +optional
	Cover *PostMediaCover `json:"cover,omitempty"`
}

// PostMediaCover is a resolved cover: a moment of the video, a photo or an image.
// +kubebuilder:validation:XValidation:rule="!has(self.offsetMilliseconds) || (has(self.offsetMillis) && self.offsetMilliseconds == self.offsetMillis)",message="offsetMilliseconds and offsetMillis must be equal"
type PostMediaCover struct {
	// OffsetMilliseconds is the moment of the video that becomes the cover, from the start.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OffsetMilliseconds *int64 `json:"offsetMilliseconds,omitempty"`
	// OffsetMillis is the moment of the video that becomes the cover, in milliseconds from the start.
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
	// ImageKey of a stored image that becomes the cover of a video. The platform receives a JPEG of it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	ImageKey string `json:"imageKey,omitempty"`
}

// PostSpec is one post on one account.
// +kubebuilder:validation:XValidation:rule="self.account == oldSelf.account && self.scheduledAt == oldSelf.scheduledAt && self.postingMode == oldSelf.postingMode && self.batch == oldSelf.batch && self.brandRef == oldSelf.brandRef && self.platform == oldSelf.platform && has(self.autoAddMusic) == has(oldSelf.autoAddMusic) && (!has(self.autoAddMusic) || self.autoAddMusic == oldSelf.autoAddMusic) && has(self.immediate) == has(oldSelf.immediate) && (!has(self.immediate) || self.immediate == oldSelf.immediate)",message="where and when a Post is published is fixed when it is accepted: only cancel and hold can be changed"
// +kubebuilder:validation:XValidation:rule="!oldSelf.cancel || self.cancel",message="a cancelled Post stays cancelled"
// +kubebuilder:validation:XValidation:rule="!has(self.accountRef) || self.accountRef.name == self.account",message="accountRef and account must name the same SocialAccount"
// +kubebuilder:validation:XValidation:rule="!has(self.batchRef) || self.batchRef.name == self.batch",message="batchRef and batch must name the same PostBatch"
type PostSpec struct {
	// BrandRef is the brand that posts.
	BrandRef LocalRef `json:"brandRef"`
	// BatchRef is the PostBatch that the post belongs to. Absent on posts that v0.1.0 created.
	// +optional
	BatchRef *LocalRef `json:"batchRef,omitempty"`
	// Batch is the name of the PostBatch.
	//
	// Deprecated: use batchRef. Batch is required for as long as this version is served: v0.1.0 reads it.
	// +kubebuilder:validation:MaxLength=253
	Batch string `json:"batch"`
	// AccountRef is the SocialAccount that the post is published with. Absent on posts that v0.1.0 created.
	// +optional
	AccountRef *LocalRef `json:"accountRef,omitempty"`
	// Account is the name of the SocialAccount.
	//
	// Deprecated: use accountRef. Account is required for as long as this version is served: v0.1.0 reads it.
	// +kubebuilder:validation:MaxLength=253
	Account string `json:"account"`
	// Platform of the account.
	Platform Platform `json:"platform"`
	// ShortID of what is published.
	ShortID int64 `json:"shortID"`
	// Revision of the short that is published.
	// +optional
	Revision int64 `json:"revision,omitempty"`
	// Media that are published.
	Media PostMedia `json:"media"`
	// Title as it is sent; empty for none.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=10000
	Title string `json:"title"`
	// Caption as it is sent, hashtags included; empty for none.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=10000
	Caption string `json:"caption"`
	// Tags for platforms that have a list of them.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=200
	// +listType=atomic
	Tags []string `json:"tags,omitempty"`
	// PostingMode is direct or draft.
	// +kubebuilder:validation:Enum=direct;draft
	PostingMode string `json:"postingMode"`
	// AutoAddMusic lets TikTok add music to a photo set.
	// +optional
	AutoAddMusic bool `json:"autoAddMusic,omitempty"`
	// Settings as they are sent: those of the batch, completed by the brand's posting defaults when the post was accepted.
	// +optional
	Settings *PostSettings `json:"settings,omitempty"`
	// ScheduledAt is when it goes out.
	ScheduledAt metav1.MicroTime `json:"scheduledAt"`
	// Immediate says that it was asked for without a time.
	// +optional
	Immediate bool `json:"immediate,omitempty"`
	// Hold keeps it back for approval.
	// +optional
	// +kubebuilder:default=false
	Hold bool `json:"hold"`
	// Cancel asks that it does not go out. Whoever sets it guards the write with the resourceVersion: an attempt and a
	// cancellation can never both win.
	// +optional
	// +kubebuilder:default=false
	Cancel bool `json:"cancel"`
}

// AttemptState is what is known of an attempt to publish.
// +kubebuilder:validation:Enum=Intended;Accepted;Rejected;NotSent;Unknown
type AttemptState string

// Attempt states.
const (
	// AttemptIntended was written before the call; what became of the call is not written yet.
	AttemptIntended AttemptState = "Intended"
	// AttemptAccepted was taken by the platform.
	AttemptAccepted AttemptState = "Accepted"
	// AttemptRejected was refused by the platform: nothing was published.
	AttemptRejected AttemptState = "Rejected"
	// AttemptNotSent never reached the platform.
	AttemptNotSent AttemptState = "NotSent"
	// AttemptUnknown may have been taken: it is looked for and never sent again.
	AttemptUnknown AttemptState = "Unknown"
)

// Open says that the attempt may have been taken and is not settled.
func (s AttemptState) Open() bool { return s == AttemptIntended || s == AttemptUnknown }

// PostAttempt is the record of one call that may publish.
type PostAttempt struct {
	// Number counts from 1.
	Number int32 `json:"number"`
	// State of it.
	State AttemptState `json:"state"`
	// Digest of what was sent, SHA-256 in hexadecimal digits.
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest"`
	// StartedAt is when it was recorded, just before the call.
	StartedAt metav1.MicroTime `json:"startedAt"`
	// SettledAt is when its outcome was known.
	// +optional
	SettledAt *metav1.MicroTime `json:"settledAt,omitempty"`
	// Handle is what the platform answered with: a name for what was published, without secrets.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Handle string `json:"handle,omitempty"`
	// Looks counts how often it was looked for.
	// +optional
	Looks int32 `json:"looks,omitempty"`
	// Error of it.
	// +optional
	Error *WorkError `json:"error,omitempty"`
}

// PostPreparation is what was done early, so that only the last call is left when the post is due. Nobody sees any of it on the
// platform.
type PostPreparation struct {
	// Sealed is the adapter's own note of it, readable by the manager alone: upload addresses are secrets.
	// +kubebuilder:validation:MaxLength=65536
	Sealed []byte `json:"sealed"`
	// Ready says that only the last call is left.
	// +optional
	Ready bool `json:"ready,omitempty"`
	// Digest of what was prepared, as attempts have it. A preparation of other content is discarded. If unset, it is not compared.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
	// ExpiresAt is when the platform forgets it.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`
	// Times counts how often it was begun from the start.
	// +optional
	Times int32 `json:"times,omitempty"`
}

// PostMetrics are what people did with a published post, as the platform last told. What it does not report is absent, never 0.
type PostMetrics struct {
	// Views of the post.
	// +optional
	Views *int64 `json:"views,omitempty"`
	// Likes of the post.
	// +optional
	Likes *int64 `json:"likes,omitempty"`
	// Comments on the post.
	// +optional
	Comments *int64 `json:"comments,omitempty"`
	// Shares of the post.
	// +optional
	Shares *int64 `json:"shares,omitempty"`
	// Favorites says how often it was saved.
	// +optional
	Favorites *int64 `json:"favorites,omitempty"`
	// ObservedAt is when the platform told.
	ObservedAt metav1.Time `json:"observedAt"`
}

// CommentState is the state of a first comment.
// +kubebuilder:validation:Enum=Intended;NotSent;Published;Failed;Unknown
type CommentState string

// Comment states. Published, Failed and Unknown are final.
const (
	// CommentIntended was recorded before the call. The comment may exist: it is looked for and never sent again on a guess.
	CommentIntended CommentState = "Intended"
	// CommentNotSent provably does not exist; it is sent again.
	CommentNotSent CommentState = "NotSent"
	// CommentPublished is on the platform.
	CommentPublished CommentState = "Published"
	// CommentFailed was refused, or could not be sent in time.
	CommentFailed CommentState = "Failed"
	// CommentUnknown may exist, and looking it up gave no answer within an hour.
	CommentUnknown CommentState = "Unknown"
)

// Final reports whether nothing more happens.
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
	// Tries counts the calls that were recorded.
	// +optional
	Tries int32 `json:"tries,omitempty"`
	// StartedAt is when the last call was recorded, just before it.
	// +optional
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// SettledAt is when the state became final.
	// +optional
	SettledAt *metav1.MicroTime `json:"settledAt,omitempty"`
	// Error of the last call. It never changes the state of the post.
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
	// State of the post; absent before a first pass.
	// +optional
	State PostState `json:"state,omitempty"`
	// DeliveryState is where on the platform it is; absent before it was sent.
	// +optional
	DeliveryState DeliveryState `json:"deliveryState,omitempty"`
	// Preparation is what was done early.
	// +optional
	Preparation *PostPreparation `json:"preparation,omitempty"`
	// Attempts to publish, each recorded before the call and settled after it.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=number
	Attempts []PostAttempt `json:"attempts,omitempty"`
	// HeldUntil is when a post that was held was released. One that is released after its time goes out then, and how late it
	// may be is counted from then.
	// +optional
	HeldUntil *metav1.MicroTime `json:"heldUntil,omitempty"`
	// NextAttemptAt is when the next attempt begins, while retrying, or when the platform's cap lets it out, while pending.
	// +optional
	NextAttemptAt *metav1.MicroTime `json:"nextAttemptAt,omitempty"`
	// Tries counts failures before any attempt was recorded (preparation, token, headroom) that were retried.
	// +optional
	Tries int32 `json:"tries,omitempty"`
	// PlatformPostID is the platform's id of the post.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	PlatformPostID string `json:"platformPostID,omitempty"`
	// PostURL is the link on the platform.
	// +optional
	// +kubebuilder:validation:MaxLength=2000
	PostURL string `json:"postURL,omitempty"`
	// PublishedAt is when it was seen public, or was accepted.
	// +optional
	PublishedAt *metav1.Time `json:"publishedAt,omitempty"`
	// FinishedAt is when its state became final.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// RecheckAt is when the platform is read once more although the post is published: YouTube locks videos of projects that it has not
	// audited as private hours after it accepted them. Absent when no check is left.
	// +optional
	RecheckAt *metav1.Time `json:"recheckAt,omitempty"`
	// Warnings are sentences about what is not as the author chose although the post was accepted, such as a cover that the platform
	// refused.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=500
	// +listType=set
	Warnings []string `json:"warnings,omitempty"`
	// Error is the last failure.
	// +optional
	Error *WorkError `json:"error,omitempty"`
	// FirstComment is the record of the first comment; absent before it is sent, and for posts without one.
	// +optional
	FirstComment *PostComment `json:"firstComment,omitempty"`
	// Metrics of a published post; absent until they were read, and where the platform reports none. They are written by the
	// controller of AccountAnalytics, everything else here by that of posts.
	// +optional
	Metrics *PostMetrics `json:"metrics,omitempty"`
}

// Post is one post on one account: a child of a PostBatch. Its attempts are a ledger: no post is sent twice. Its content follows the short
// where spec.revisionPolicy of the batch is latest, until its first attempt is recorded.
//
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.attempts) || size(self.status.attempts) == 0 || (self.spec.media == oldSelf.spec.media && self.spec.title == oldSelf.spec.title && self.spec.caption == oldSelf.spec.caption && self.spec.shortID == oldSelf.spec.shortID && has(self.spec.revision) == has(oldSelf.spec.revision) && (!has(self.spec.revision) || self.spec.revision == oldSelf.spec.revision) && has(self.spec.tags) == has(oldSelf.spec.tags) && (!has(self.spec.tags) || self.spec.tags == oldSelf.spec.tags) && has(self.spec.settings) == has(oldSelf.spec.settings) && (!has(self.spec.settings) || self.spec.settings == oldSelf.spec.settings))",message="the content of a Post is fixed when its first attempt is recorded"
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

// InFlight says that an attempt was recorded: the post can no longer be cancelled.
func (p *Post) InFlight() bool { return len(p.Status.Attempts) > 0 }

// PostList is a list of Post.
//
// +kubebuilder:object:root=true
type PostList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Post `json:"items"`
}
