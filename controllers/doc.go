// SPDX-License-Identifier: Apache-2.0

// Package controllers holds one folder a kind. Each folder has the same files: controller.go (wiring, watches,
// permissions), observe.go (reads, never writes), plan.go or decide.go (decides, pure), act.go (changes something
// outside), report.go (conditions). A kind with nothing to act on has no act.go.
//
// Who writes which status:
//
//	Account      usage, holds: slideshow and video controllers (charge.go), account controller (holds.go) and front end, all through
//	             internal/account/ledger; conditions, observedGeneration: account controller
//	Brand        brand controller
//	APIKey       lastUsedAt, requestCount: front end, in batches; conditions, observedGeneration: apikey controller
//	MediaAsset   mediaasset controller
//	MusicTrack   musictrack controller
//	MediaPack    mediapack controller
//	Slideshow    slideshow controller
//	Video        video controller
//	RenderJob    progress, report: front end, when the renderer calls back; everything else: renderjob controller
//	SocialAccount      socialaccount controller; limitedUntil, lastPublishedAt: post controller
//	ConnectionRequest  connectionrequest controller
//	AccountAnalytics   accountanalytics controller
//	PostBatch    postbatch controller
//	Post         metrics: accountanalytics controller; everything else: post controller
//	IdempotencyRecord  front end; its controller writes nothing and removes it after its end
//
// The uploads package has no kind: it removes uploads from the store that no MediaAsset awaits, and writes no status.
//
// Metadata (finalizers, id labels) is written by the kind's own controller, before and apart from the status.
package controllers
