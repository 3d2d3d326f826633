// SPDX-License-Identifier: Apache-2.0

// Package video creates the parts of a Video and has them rendered. An avatar speaks a hook, and clips then show a
// product. With picture in picture, the avatar speaks in a corner over the clips.
//
//	(new) ── suspend ──▶ draft
//	  │ waits for the clips it names, then is charged to the plan
//	  ▼
//	processing ── clips of URLs fetched ── text written ── hook spoken ── words drawn, clips timed ── film rendered ──▶ succeeded
//	  │
//	  ▼
//	failed ── retry annotation ──▶ processing
//
// Every step records its result in the status (charge, text, speech, clips) before the next begins, and every object and
// blob has a name that depends on the Video. A controller that is killed at any point repeats the missing step and
// nothing else. The paid text model is the exception, as for slideshows. The sound of a speech service is stored before
// the status refers to it, and is found there by the next pass.
//
// A clip of a URL becomes a MediaAsset that the Video owns. The controller of MediaAssets fetches and probes it. Jobs that
// the Video owns (package runner) speak the hook, or determine the times of its words. A RenderJob that the Video owns
// renders it. The renderjob controller builds the timeline from the status, and from the list of words that the status
// names.
//
// The words of the hook, and the texts and calls to action of the demos, are drawn when the clips are composed. They are
// layers of the timeline (package filmwords), so the renderer does not set text.
//
// A failure that may pass refunds the charge. A failure that the user caused does not.
package video
