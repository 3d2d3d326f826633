// SPDX-License-Identifier: Apache-2.0

// Package slideshow creates the texts and images of a Slideshow.
//
//	(new) ── suspend ──▶ draft
//	  │
//	  ▼ charged to the plan
//	processing ── text written, once for each source ── slides drawn, once for each visual change ── spoken ──▶ succeeded
//	  │                                                                                       │
//	  ▼                                                                                       ▼ spec changed
//	failed ── retry annotation or changed spec ──▶ processing                              processing
//
// Package deck compares the content of the spec, not its generation, to find out what an edit requests. A changed
// title, or writing the created content into the spec, draws nothing. A changed image or word draws that slide. Every
// slide whose input is the same keeps its stored images. An edit has its own work record, and status.generated keeps
// the record of the creation of the slides, so that clients which wait for the creation see no new job. An edit that
// fails keeps the slides that were drawn.
//
// Charges (packages quota and ledger): a slideshow of the front end is reserved before it is created, and the
// reservation becomes its charge. A manifest is charged when its work begins. The price of AI images is reserved before
// the first image is created. When the work has succeeded, the images that are shown are charged, each once even if it
// is shown again. Failed work is not charged for images. A slideshow that is being deleted is settled before its
// finalizer is removed.
//
// With spec.voice the words of each slide are spoken (package voicing) after the slides are drawn and before the work
// succeeds. The name of the sound depends on the text, not on the revision, so an edit speaks only the slides that it
// changes. A slide is shown for at least as long as its speech. A slide that cannot be spoken stays silent, and
// status.voice reports it. A voice that does not exist fails the work.
//
// A slide may show an image of a stock provider. The spec names the image, or it is chosen for the slide's words if
// providers are configured and no image world is requested. The image is fetched once and stored below the slideshow's
// prefix together with its metadata, above all its author. The choice is stored there before it is used, so that a
// later pass or edit shows the same images even if a provider is unavailable. Drawn backgrounds replace images that are
// not offered or cannot be fetched.
//
// Every step records its result in the status (charge, text, slides) before the next begins, and every blob name
// depends on the content of the blob. A controller that is killed at any point repeats the missing step and nothing
// else. The paid text model and the image model are the exceptions: if the controller is killed between a response and
// the write of it, the text or image is requested again.
package slideshow
