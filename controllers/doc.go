// SPDX-License-Identifier: Apache-2.0

// Package controllers has one folder for each kind. A reconcile has the following steps in this order, with these files
// and types. A controller omits steps that it does not need:
//
//	observe         observe.go     type observed: what the decision depends on besides the object. Reads; never writes.
//	decide          decide.go      type decision: what to do next. Pure; the first rule that matches wins.
//	persist intent  controller.go  status that records the next call, with the resourceVersion as precondition
//	act             act.go         changes something outside of the object: files, Jobs, platforms, other objects
//	report          report.go      sets conditions and the rest of the status
//	persist result  controller.go  one status patch, only if the status changed
//
// controller.go also has the watches, the index functions and the RBAC markers. A controller without calls outside of
// the cluster persists no intent. slideshow and video persist an intent as the result of one pass and act on it in the
// next. Small controllers use the same names in one file. In postbatch the names are still plan.go, seen and step.
// The automation controller also moves AutomationRuns on; its key is the Automation.
// mediaasset and musictrack share the steps of internal/media/intake. slideshow and video share
// internal/film/shortwork. archive moves settled shorts to the archive and back; its steps are in its doc.go.
//
// A lost reconcile loses no work: decide depends on the status, the time and names derived from them, and never on
// conditions.
//
// Who writes which status:
//
//	Archive      archive controller
//	Account      usage, holds: slideshow, video and account controllers and front end, all through package ledger;
//	             conditions, observedGeneration: account controller
//	Automation, AutomationRun  automation controller
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
//	IdempotencyRecord  front end; its controller writes nothing and deletes it after its expiry
//	WebhookEndpoint    webhookendpoint controller
//	ConsoleLink        none; its controller deletes it after its expiry
//
// Five packages have no kind and write no status. uploads deletes orphaned uploads. pinnedfiles deletes files that no
// post needs any more. oldfiles deletes caches and images that nothing needs any more. census exports metrics of the
// cache. starterset creates the objects of the library.
//
// Transitions, the events of webhooks, are in the status of seven kinds. internal/kube/status adds them in the write of
// the change that they are for, in every process.
//
// Metadata (finalizers, id labels) is written by the kind's own controller, before and apart from the status.
package controllers
