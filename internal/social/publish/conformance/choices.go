// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// Setting is an author setting that must reach the platform.
type Setting struct {
	Name string
	// As and Kind of the post; the first account and a video when empty.
	As, Kind string
	Settings v1beta1.PostSettings
	// Reached reports whether the post shows the setting, and returns the value that the post shows.
	Reached func(there sandbox.Platform, l sandbox.Landing) (shown string, ok bool)
}

// comment is the text of a first comment: characters that some platform escapes, an emoji of two UTF-16 units.
const comment = "More (in part 2) 🥖 & it's *slow*"

// choices tests settings, and covers and first comments for each of the accounts.
func choices(t *testing.T, c Case) {
	t.Run("settings", func(t *testing.T) {
		for _, s := range c.Settings {
			t.Run(s.Name, func(t *testing.T) { newWorld(t, c).setting(t, s) })
		}
	})
	for _, as := range c.as() {
		t.Run("cover/"+as, func(t *testing.T) { newWorld(t, c).covers(t, as) })
		t.Run("comment/"+as, func(t *testing.T) { newWorld(t, c).comments(t, as) })
	}
	t.Run("creator", func(t *testing.T) { newWorld(t, c).creator(t, c.as()[0]) })
}

func (c Case) as() []string {
	if c.As == nil {
		return []string{"maya"}
	}
	return c.As
}

// film returns the path that publishes a video directly as the account.
func (c Case) film(as string) path {
	return path{as: as, kind: catalog.MediaVideo, mode: catalog.PostDirect}
}

func (w *world) setting(t *testing.T, s Setting) {
	p := w.c.film(w.c.as()[0])
	if s.As != "" {
		p.as = s.As
	}
	if s.Kind != "" {
		p.kind = s.Kind
	}
	conn := w.connect(t, p.as)
	w.reset(t)
	d, _ := w.begin(t, p, conn, s.Name)
	d.draft.Settings = s.Settings
	if o := d.run(); o.view == nil || o.failed != nil {
		t.Fatalf("%v; errors: %v", o, d.errs)
	}
	seen := w.core.Landed(w.c.Platform)
	if len(seen) != 1 {
		t.Fatalf("got %d posts", len(seen))
	}
	if shown, ok := s.Reached(w.there, seen[0]); !ok {
		t.Errorf("the post shows %q", shown)
	}
}

// chosen is a cover of one of the types that the platform supports.
type chosen struct {
	name  string
	path  path
	cover publish.Cover
	// want is the expected cover of the landed post.
	want string
}

func (w *world) picture(p path) chosen {
	m := w.store.add("cover.jpg", "image/jpeg", photos()[1])
	m.Width, m.Height = 1080, 1350
	return chosen{"picture", p, publish.Cover{Image: &m.Media}, m.sum}
}

func (w *world) covers(t *testing.T, as string) {
	conn := w.connect(t, as)
	p := w.c.film(as)
	rule := w.c.rule().Cover
	var ways []chosen
	if rule.Offset {
		at := 1500 * time.Millisecond
		ways = append(ways, chosen{"moment", p, publish.Cover{Offset: &at}, "1500 ms"})
	}
	if rule.Image {
		ways = append(ways, w.picture(p))
	}
	if rule.Photo {
		set, second := p, 1
		set.kind = catalog.MediaPhotoSet
		sum := w.store.add("photo-2.jpg", "image/jpeg", photos()[second]).sum
		ways = append(ways, chosen{"photo", set, publish.Cover{Photo: &second}, sum})
	}
	for _, x := range ways {
		t.Run(x.name, func(t *testing.T) {
			plain := w.clean(t, x.path, conn)
			if t.Failed() {
				return
			}
			w.reset(t)
			if l := w.covered(t, conn, x, nil, nil); l == nil || w.cover(*l) != x.want {
				t.Fatalf("got %+v, want the cover %q", l, x.want)
			}
			for _, s := range w.steps() {
				if slices.Contains(plain, s) {
					continue
				}
				for _, k := range strikes {
					t.Run(s.String()+"/"+k.name, func(t *testing.T) { w.coverCell(t, conn, x, s, k) })
				}
				for _, status := range []int{400, 403, 404, 413} {
					k := strike{name: fmt.Sprint(status), fault: sandbox.Fault{Do: sandbox.Status, Status: status}}
					t.Run(s.String()+"/"+k.name, func(t *testing.T) { w.coverCell(t, conn, x, s, k) })
				}
			}
		})
	}
	if !rule.Image {
		return
	}
	// A defective cover never fails the post.
	unusable := w.store.add("unusable.jpg", "image/jpeg", []byte("this is no picture"))
	missing := w.picture(p).cover.Image
	missing.Open = func(context.Context, int64) (io.ReadCloser, error) {
		return nil, errors.New("the store has no such file")
	}
	missing.URL = func(context.Context) (string, error) { return w.store.server.URL + "/missing.jpg", nil }
	for name, m := range map[string]*publish.Media{"unusable": &unusable.Media, "missing": missing} {
		t.Run(name, func(t *testing.T) {
			w.reset(t)
			var warnings []string
			l := w.covered(t, conn, chosen{path: p, cover: publish.Cover{Image: m}}, nil, &warnings)
			if l == nil || w.cover(*l) != "" || len(warnings) == 0 {
				t.Errorf("got %+v, warnings %q", l, warnings)
			}
		})
	}
}

// covered publishes a post with a cover and returns the landed post.
func (w *world) covered(t *testing.T, conn *connection, x chosen, with func(d *driver), warnings *[]string) *sandbox.Landing {
	d, want := w.begin(t, x.path, conn, "cover")
	d.draft.Cover = &x.cover
	if with != nil {
		with(d)
	}
	o := d.run()
	w.core.Quiet()
	w.judge(t, d, o, want)
	if d.record.receipt != nil && d.record.receipt.View != nil && warnings != nil {
		*warnings = append(*warnings, d.record.receipt.View.Warnings...)
	}
	if o.view != nil && warnings != nil {
		*warnings = append(*warnings, o.view.Warnings...)
	}
	if seen := w.visible(d.draft); len(seen) == 1 {
		return &seen[0]
	}
	return nil
}

// coverCell injects one failure into one call that sets the cover. The post must land once, with the cover or without
// it.
func (w *world) coverCell(t *testing.T, conn *connection, x chosen, s step, k strike) {
	w.reset(t)
	if err := w.core.SetFaults(w.at(s, k.fault)); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	l := w.covered(t, conn, x, func(d *driver) {
		d.crash = k.dies
		if k.ends {
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			d.ctx = ctx
			w.strikes(cancel)
		}
		d.revoked = w.reconnects(t, conn, k)
	}, &warnings)
	if l == nil {
		t.Fatal("no post was published")
	}
	if shown := w.cover(*l); shown != x.want && (shown != "" || len(warnings) == 0) {
		t.Errorf("published with the cover %q and the warnings %q", shown, warnings)
	}
	if left := w.core.Faults(); len(left) > 0 && k.fault.Times <= 1 {
		t.Errorf("the failure did not occur: %+v", left)
	}
}

func (w *world) cover(l sandbox.Landing) string {
	if w.c.Cover != nil {
		return w.c.Cover(w.there, l)
	}
	return l.Cover
}

func (w *world) written(l sandbox.Landing) []string {
	if w.c.Comments != nil {
		return w.c.Comments(w.there, l)
	}
	var out []string
	for _, c := range l.Comments {
		out = append(out, c.Text)
	}
	return out
}

// comments tests a first comment, with every failure injected into the call that writes it and the call that looks it
// up.
func (w *world) comments(t *testing.T, as string) {
	conn := w.connect(t, as)
	p := w.c.film(as)
	if _, ok := w.open(t).(publish.Commenter); ok != (w.c.rule().CommentMax > 0) {
		t.Fatalf("the catalog has comments of %d characters, the adapter can comment: %v", w.c.rule().CommentMax, ok)
	} else if !ok {
		t.Skip("the platform has no API for comments")
	}
	w.reset(t)
	e := w.posted(t, p, conn)
	if lacking := e.commenter().LackingForComments(conn.tokens.Scopes); len(lacking) > 0 {
		t.Fatalf("everything was granted, and %v is reported as lacking", lacking)
	}
	_, err := e.commenter().FindComment(t.Context(), conn.account, e.post, comment)
	if !errors.Is(err, publish.ErrNotFound) && !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("before the comment: FindComment returned %v", err)
	}
	from := len(w.core.Calls())
	if published := e.run(); !published {
		t.Fatalf("the comment was not written; errors: %v", e.errs)
	}
	e.judge(true)
	calls := w.core.Calls()[from:]
	for _, k := range strikes {
		t.Run(calls[0].Call+"/"+k.name, func(t *testing.T) {
			w.reset(t)
			e := w.posted(t, p, conn)
			if err := w.core.SetFaults(w.at(step{call: calls[0].Call, nth: 1}, k.fault)); err != nil {
				t.Fatal(err)
			}
			e.struck(k)
			e.judge(e.run())
			if left := w.core.Faults(); len(left) > 0 && k.fault.Times <= 1 {
				t.Errorf("the failure did not occur: %+v", left)
			}
		})
	}
	t.Run("looking", func(t *testing.T) {
		for _, k := range again {
			t.Run(k.name, func(t *testing.T) { w.lookingForComment(t, p, conn, calls[0].Call, k) })
		}
	})
	t.Run("unsent", func(t *testing.T) {
		w.reset(t)
		e := w.posted(t, p, conn)
		e.open = true
		e.beforeCommit = func() bool { return true } // the process ended after recording the attempt and before the call
		e.judge(e.run())
	})
}

// lookingForComment drops the response to a comment, and injects a failure into the call that looks the comment up.
func (w *world) lookingForComment(t *testing.T, p path, conn *connection, call string, k strike) {
	w.reset(t)
	e := w.posted(t, p, conn)
	if err := w.core.SetFaults(w.at(step{call: call, nth: 1}, strikes[1].fault)); err != nil {
		t.Fatal(err)
	}
	e.write()
	if !e.open {
		t.Fatalf("the response was lost, and the comment is recorded as not written: %v", e.errs)
	}
	from := len(w.core.Calls())
	e.find()
	made := w.core.Calls()[from:]
	if len(made) == 0 {
		t.Skip("the account's comments cannot be read")
	}
	e.published, e.open = false, true
	if err := w.core.SetFaults(w.at(step{call: made[0].Call, nth: 1}, k.fault)); err != nil {
		t.Fatal(err)
	}
	e.struck(k)
	e.judge(e.run())
}

// commenting publishes one comment with the same protocol as the controller.
type commenting struct {
	*driver
	post string
	// open reports whether an attempt is unresolved. published reports whether the comment is known to exist.
	open, published bool
	id              string
}

// posted publishes a post on which a comment can be written.
func (w *world) posted(t *testing.T, p path, conn *connection) *commenting {
	t.Helper()
	d, _ := w.begin(t, p, conn, "comment")
	if o := d.run(); o.view == nil || o.view.PostID == "" || o.failed != nil {
		t.Fatalf("the post ended with %v; errors: %v", o, d.errs)
	}
	return &commenting{driver: d, post: w.visible(d.draft)[0].ID}
}

func (e *commenting) commenter() publish.Commenter { return e.p.(publish.Commenter) }

// struck prepares the context, crash and reconnect behaviour for a failure.
func (e *commenting) struck(k strike) {
	e.crash = k.dies
	if k.ends {
		ctx, cancel := context.WithCancel(e.t.Context())
		e.t.Cleanup(cancel)
		e.ctx = ctx
		e.w.strikes(cancel)
	}
	e.revoked = e.w.reconnects(e.t, e.conn, k)
}

// run repeats until the comment has an outcome, and reports whether it is published. False means unknown or failed.
func (e *commenting) run() bool {
	unsure := 0
	for range maxCalls {
		if !e.open {
			e.write()
		} else if e.w.clock.Step(grace); !e.find() {
			if unsure++; unsure > maxUnsure {
				return false
			}
			e.w.clock.Step(5 * time.Minute)
		}
		if e.published {
			return true
		}
	}
	e.t.Fatalf("no outcome after %d calls; errors: %v", maxCalls, e.errs)
	return false
}

// write sends the comment once. The attempt is recorded before the call.
func (e *commenting) write() {
	e.open = true
	id, err := e.commenter().Comment(e.ctx, e.conn.account, e.post, comment)
	switch {
	case e.crashed():
	case err == nil:
		e.id, e.open, e.published = id, false, true
	case publish.KindOf(err) == publish.Ambiguous:
		_ = e.saw(err)
		e.leave()
	default:
		var p *publish.Error
		if !errors.As(err, &p) { // an unclassified error leaves the attempt open
			e.leave()
			return
		}
		e.open = false
		if o := e.after(err, nil); o != nil {
			e.t.Fatalf("%v", o)
		}
	}
}

// find looks up the comment of an open attempt, and reports whether the outcome is known.
func (e *commenting) find() bool {
	e.w.core.Quiet()
	id, err := e.commenter().FindComment(e.ctx, e.conn.account, e.post, comment)
	switch {
	case err == nil:
		e.id, e.open, e.published = id, false, true
	case errors.Is(err, publish.ErrNotFound):
		e.open = false
	case errors.Is(err, publish.ErrCannotTell):
		return false
	default:
		if o := e.after(err, nil); o != nil {
			e.t.Fatalf("%v", o)
		}
	}
	return true
}

// judge compares the recorded outcome with the comments on the sandbox.
func (e *commenting) judge(published bool) {
	e.t.Helper()
	e.w.core.Quiet()
	seen := e.w.visible(e.draft)
	if len(seen) != 1 {
		e.t.Fatalf("got %d posts", len(seen))
	}
	texts := e.w.written(seen[0])
	switch {
	case len(texts) > 1:
		e.t.Errorf("the comment was written %d times; errors: %v", len(texts), e.errs)
	case published && (len(texts) != 1 || texts[0] != comment || e.id == ""):
		e.t.Errorf("got comments %q with the id %q; errors: %v", texts, e.id, e.errs)
	case !published && !e.mayNotTell(e.w.c.CannotTell):
		e.t.Errorf("the adapter returned ErrCannotTell, which is not allowed here; comments %q; errors: %v", texts, e.errs)
	}
}

// creator injects failures into the call that reads the creator's options. Posts must be published regardless.
func (w *world) creator(t *testing.T, as string) {
	conn := w.connect(t, as)
	reader, ok := w.open(t).(publish.CreatorReader)
	if !ok {
		t.Skip("the platform reports no creator")
	}
	w.reset(t)
	if got, err := reader.Creator(t.Context(), conn.account); err != nil || got.Nickname == "" || len(got.PrivacyLevels) == 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	call := w.core.Calls()[0].Call
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			w.reset(t)
			defer func() { *conn = *w.connect(t, as) }()
			f.fault.Platform, f.fault.Call = w.c.Platform, call
			if err := w.core.SetFaults(f.fault); err != nil {
				t.Fatal(err)
			}
			_, err := w.open(t).(publish.CreatorReader).Creator(t.Context(), conn.account)
			if kind := publish.KindOf(err); !slices.Contains(f.want, kind) {
				t.Errorf("got %v, want one of the kinds %v", err, f.want)
			}
			w.core.ClearFaults()
			*conn = *w.connect(t, as)
			if seen := w.core.Landed(w.c.Platform); len(seen) > 0 {
				t.Errorf("got %+v", seen)
			}
			d, want := w.begin(t, w.c.film(as), conn, "creator "+f.name)
			w.judge(t, d, d.run(), want)
		})
	}
}
