// SPDX-License-Identifier: Apache-2.0

// Package slideshow makes a Slideshow's texts and pictures.
//
//	(new) ── suspend ──▶ draft
//	  │
//	  ▼ charged to the plan
//	processing ── text written, once for each source ── slides drawn, once for each visual change ── spoken ──▶ succeeded
//	  │                                                                                       │
//	  ▼                                                                                       ▼ spec changed
//	failed ── retry annotation or changed spec ──▶ processing                              processing
//
// What an edit of the spec asks for is told by content, not by generation (package deck): a title, or writing down what
// was made, draws nothing; another picture or word draws that slide, and every slide that is drawn from the same as before
// keeps its stored pictures. An edit has a record of work of its own and status.generated keeps the one of making the
// slides, so that it is no new job to those who wait for one. An edit that fails leaves the slides that were drawn.
//
// What it takes from the plan (packages quota and ledger): a slideshow of the front end is held there before it exists and
// the hold becomes its charge; a manifest is charged when its work begins. AI pictures hold their price before the first
// is made and pay for those that are shown when the work has succeeded, each once however often it is shown again; work
// that failed pays for none. A slideshow that is deleted is settled before it goes.
//
// With spec.voice the words of each slide are spoken (package voicing) once the slides are drawn, and before the work succeeds. The
// text, not the revision, names the sound, so an edit speaks only the slides that it changes. A slide is shown for at least as long
// as its speech; one that cannot be spoken stays silent, and status.voice reports it. A voice that does not exist fails the work.
//
// A slide may show a picture of a stock provider, named in the spec or, where providers are set up and no image world is asked
// for, chosen for its words. It is fetched once and kept below the slideshow's prefix together with what is known of it, its
// maker above all; what was chosen is kept there before it is used. So a later pass or edit shows the same pictures, whoever
// is away by then. Drawn backgrounds stand in for what is not offered or does not come.
//
// Every step leaves a fact in the status (charge, text, slides) before the next begins, and every blob has a name that
// follows from what it shows, so a controller killed at any point does the missing step again and nothing twice. The
// paid writer and the picture model are the exceptions: killed between an answer and the write of it, the text or the
// picture is asked for again.
package slideshow
