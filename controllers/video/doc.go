// SPDX-License-Identifier: Apache-2.0

// Package video makes a Video: an avatar speaks a hook, then clips show a product; or the avatar speaks in a corner over the clips.
//
//	(new) ── suspend ──▶ draft
//	  │ waits for the clips it names, then is charged to the plan
//	  ▼
//	processing ── clips of URLs fetched ── text written ── hook spoken ── words drawn, clips timed ── film rendered ──▶ succeeded
//	  │
//	  ▼
//	failed ── retry annotation ──▶ processing
//
// Every step leaves a fact in the status (charge, text, speech, clips) before the next begins, and everything it makes has a
// name that follows from the Video: a controller killed at any point does the missing step again and nothing twice. The paid
// writer is the exception, as it is for slideshows. What a speech service said is stored before the status tells of it, and is
// found there.
//
// A clip of a URL becomes a MediaAsset that the Video owns: fetching and looking at it is that kind's work. The hook is spoken,
// or listened for, by Jobs that the Video owns (package runner). The film is rendered by a RenderJob that it owns; the
// renderjob controller builds the film from the status alone, and from the list of words that the status names.
//
// The words of the hook, and the texts and calls to action of the demos, are drawn when the film is composed. The film has them as
// layers (package filmwords), so the renderer does not set text.
//
// Who is to blame decides what failing costs: a fault that may pass gives the charge back.
package video
