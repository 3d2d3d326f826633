// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"image"
	"image/color"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/imagery/ai"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/testkit"
)

// imageModel creates plain images and counts its calls. Its first calls with a prompt that contains word fail, as
// many as fail specifies.
type imageModel struct {
	mu    sync.Mutex
	made  int
	asked int
	err   error
	fail  int
	word  string
}

func (p *imageModel) Make(_ context.Context, prompt string, _ catalog.AspectRatio) (image.Image, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.fail > 0 && strings.Contains(prompt, p.word) {
		p.fail--
		return nil, p.err
	}
	p.made++
	img := image.NewRGBA(image.Rect(0, 0, 64, 96))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.Set(1, 1, color.Black)
	return img, nil
}

// withAI uses the imageModel for a slideshow's images, on a plan with credits. door reports whether the front end has
// reserved their price.
func withAI(p *imageModel, credits int32, door bool) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
	return func(u *run, a *v1beta1.Account, s *v1beta1.Slideshow) {
		a.Spec.Plan.Credits = ptr.To(credits)
		s.Spec.ImageSource, s.Spec.SlideCount = &v1beta1.ImageSource{Type: v1beta1.ImageSourceAI}, 3
		s.Spec.AutoRender = false
		u.r.Pictures, u.r.AIImages = p, catalog.AIImages{Available: true, CreditsPerImage: 2}
		if door {
			reserved(quota.Need{Slideshows: 1, Credits: 6})(u, a, s)
		}
	}
}

// reserved creates the slideshow like the front end, which reserves its price and sets the finalizer.
func reserved(n quota.Need) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
	return func(u *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		u.door = n
		s.Finalizers = []string{v1beta1.FinalizerSlideshow}
	}
}

func (u *run) account() *v1beta1.Account {
	u.t.Helper()
	a := &v1beta1.Account{}
	if err := u.rec.Get(u.t.Context(), client.ObjectKey{Namespace: u.key.Namespace, Name: v1beta1.AccountName}, a); err != nil {
		u.t.Fatal(err)
	}
	return a
}

// hasUsed checks the usage of the account, in slideshows and credits, and that nothing is reserved any more.
func (u *run) hasUsed(slideshows, credits int32) {
	u.t.Helper()
	a := u.account()
	q := quota.Of(a, u.clock.Now())
	if q.Used != slideshows || q.CreditsUsed != credits || len(a.Status.Holds) > 0 {
		u.t.Errorf("used %d slideshows and %d credits, want %d and %d; reserved: %+v", q.Used, q.CreditsUsed, slideshows, credits, a.Status.Holds)
	}
}

// edit changes the spec and runs the controller.
func (u *run) edit(change func(*v1beta1.Slideshow)) {
	u.t.Helper()
	s := u.live()
	change(s)
	if err := u.rec.Update(u.t.Context(), s); err != nil {
		u.t.Fatal(err)
	}
	u.settle()
}

func (u *run) delete() {
	u.t.Helper()
	if err := u.user.Delete(u.t.Context(), u.live()); err != nil {
		u.t.Fatal(err)
	}
}

func TestLedger_SurvivesFaults(t *testing.T) {
	st := newStage(t)
	failed := func(t *testing.T, u *run, code catalog.Code, retryable bool) {
		t.Helper()
		if w := u.live().Status.Work; w.State != v1beta1.WorkFailed || w.Error.Code != string(code) || w.Error.Retryable != retryable {
			t.Errorf("got work %+v", w)
		}
	}

	t.Run("a slideshow with AI images", func(t *testing.T) {
		everyFault(t, "ai", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f, withAI(&imageModel{}, 20, true))
		}, func(t *testing.T, _, u *run) {
			u.t = t
			s := u.live()
			if s.Status.Work.State != v1beta1.WorkSucceeded || len(s.Status.Slides) != 3 || s.Status.Slides[0].Background.Source != "ai" {
				t.Errorf("got status %+v", s.Status)
			}
			if c := s.Status.Credits; c == nil || c.Held != 0 || c.Used != 6 || len(c.Paid) != 3 {
				t.Errorf("got credits %+v", c)
			}
			u.hasUsed(1, 6)
			if n := u.r.Pictures.(*imageModel).asked; n != 3 {
				t.Errorf("got %d calls of the image model", n)
			}
			u.isStable()
		})
	})

	t.Run("a slideshow whose images are rejected", func(t *testing.T) {
		everyFault(t, "refused", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			p := &imageModel{fail: 99, word: "Leaves", err: &ai.Error{Reason: ai.ReasonContentPolicy, Message: "No"}}
			return st.run(t, ns, &writer{}, n, f, withAI(p, 20, true))
		}, func(t *testing.T, _, u *run) {
			u.t = t
			failed(t, u, catalog.GenerationFailed, false)
			if d := u.live().Status.Work.Error.Details; d["slide_id"] != "2" || d["reason"] != "content_policy" {
				t.Errorf("got details %v", d)
			}
			u.hasUsed(1, 0) // charged because the user caused the failure, but images of failed work are free
			u.isStable()
		})
	})

	t.Run("a slideshow whose image model fails", func(t *testing.T) {
		everyFault(t, "away", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			p := &imageModel{fail: 99, err: &ai.Error{Reason: ai.ReasonUnavailable, Message: "Away", Retryable: true}}
			return st.run(t, ns, &writer{}, n, f, withAI(p, 20, true))
		}, func(t *testing.T, _, u *run) {
			u.t = t
			failed(t, u, catalog.GenerationFailed, true)
			u.hasUsed(0, 0)
			u.isStable()
		})
	})

	t.Run("deleted before the controller reads it", func(t *testing.T) {
		everyFault(t, "early", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f, withAI(&imageModel{}, 20, true), func(u *run, _ *v1beta1.Account, _ *v1beta1.Slideshow) {
				u.created = u.delete
			})
		}, func(t *testing.T, _, u *run) {
			u.t = t
			u.hasUsed(1, 0) // it was accepted
		})
	})

	t.Run("deleted while its images are created", func(t *testing.T) {
		everyFault(t, "midway", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f, withAI(&imageModel{}, 20, true), func(u *run, _ *v1beta1.Account, _ *v1beta1.Slideshow) {
				u.r.Pictures = deleting{u}
			})
		}, func(t *testing.T, _, u *run) {
			u.t = t
			u.hasUsed(1, 0)
		})
	})

	t.Run("a slideshow without enough credits", func(t *testing.T) {
		everyFault(t, "poor", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f, withAI(&imageModel{}, 5, false))
		}, func(t *testing.T, _, u *run) {
			u.t = t
			failed(t, u, catalog.InsufficientCredits, false)
			s := u.live()
			if d := s.Status.Work.Error.Details; d["credits_required"] != "6" || d["current_credits"] != "5" {
				t.Errorf("got details %v", d)
			}
			if c := meta.FindStatusCondition(s.Status.Conditions, "Ready"); c.Reason != string(v1beta1.ReasonInsufficientCredits) {
				t.Errorf("got Ready %s", c.Reason)
			}
			u.hasUsed(0, 0)
			u.isStable()
		})
	})

	t.Run("a slideshow of the front end with invalid input", func(t *testing.T) {
		everyFault(t, "unfit", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f, reserved(quota.Need{Slideshows: 1}), func(_ *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
				s.Spec.DesignStyle = "no_such_style"
			})
		}, func(t *testing.T, _, u *run) {
			u.t = t
			failed(t, u, catalog.ValidationFailed, false)
			u.hasUsed(1, 0) // accepted, and not retried
			if c := u.live().Status.Charge; c == nil || c.Charges != 1 || c.Refunds != 0 {
				t.Errorf("got charge %+v", c)
			}
			u.isStable()
		})
	})
}

// deleting deletes the slideshow while its first image is being created.
type deleting struct{ u *run }

func (d deleting) Make(context.Context, string, catalog.AspectRatio) (image.Image, error) {
	d.u.delete()
	return nil, &ai.Error{Reason: ai.ReasonBusy, After: time.Second}
}

func TestImages_AreChargedOnce(t *testing.T) {
	st := newStage(t)
	p := &imageModel{}
	w := &writer{}
	u := st.run(t, "paid-once", w, 0, "", withAI(p, 12, true))
	u.hasUsed(1, 6)

	u.edit(func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "9:16" })
	u.hasUsed(1, 6)
	if p.made != 3 {
		t.Errorf("another ratio created %d images", p.made-3)
	}

	u.edit(func(s *v1beta1.Slideshow) {
		s.Spec.Slides = []v1beta1.SlideSpec{{Heading: "Tea!"}, {Heading: "Leaves, and water"}, {Heading: "Drink"}}
	})
	u.hasUsed(1, 6)
	if s := u.live(); p.made != 3 || s.Status.Revision != 3 || s.Status.Work.State != v1beta1.WorkSucceeded {
		t.Errorf("another text created %d images, revision %d", p.made-3, s.Status.Revision)
	}

	u.edit(func(s *v1beta1.Slideshow) {
		edited, err := deck.Apply(s, testkit.Brand(s.Namespace, "acme"), deck.Edit{
			Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: ptr.To("Placed by hand")}}}}, Order: []int64{3, 1, 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Spec = *edited.Spec
	})
	u.hasUsed(1, 6)
	if s := u.live(); p.made != 3 || s.Status.Slides[0].ID != 3 || s.Status.Revision != 4 {
		t.Errorf("moving slides created %d images", p.made-3)
	}

	u.edit(func(s *v1beta1.Slideshow) { s.Spec.ImageWorld = "night_sky" })
	u.hasUsed(1, 12)
	if p.made != 6 {
		t.Errorf("another image world created %d images, want 3", p.made-3)
	}

	u.edit(func(s *v1beta1.Slideshow) { s.Spec.ImageWorld = "botanical" })
	u.hasUsed(1, 12)
	s := u.live()
	if e := s.Status.Work.Error; p.made != 6 || e == nil || e.Code != string(catalog.InsufficientCredits) {
		t.Errorf("without credits it created %d images: %+v", p.made-6, e)
	}
	if len(s.Status.Slides) != 3 || s.Status.Revision != 5 {
		t.Error("the charged slides are lost")
	}
	u.isStable()
}

func TestImages_BusyModelCostsNoAttempt(t *testing.T) {
	st := newStage(t)
	p := &imageModel{fail: 7, err: &ai.Error{Reason: ai.ReasonBusy, Message: "Busy", Retryable: true, After: 9 * time.Second}}
	u := st.run(t, "busy", &writer{}, 0, "", withAI(p, 20, true))
	if w := u.live().Status.Work; w.State != v1beta1.WorkSucceeded || w.Attempt != 1 {
		t.Errorf("got work %+v", w)
	}
	if p.made != 3 {
		t.Errorf("got %d images", p.made)
	}
	u.hasUsed(1, 6)
}

func TestImages_PlanWithoutCredits(t *testing.T) {
	st := newStage(t)
	p := &imageModel{}
	u := st.run(t, "no-credits", &writer{}, 0, "", withAI(p, 0, false), func(_ *run, a *v1beta1.Account, _ *v1beta1.Slideshow) { a.Spec.Plan.Credits = nil })
	if w := u.live().Status.Work; w.State != v1beta1.WorkSucceeded || p.made != 3 {
		t.Errorf("got work %+v, %d images", w, p.made)
	}
	u.hasUsed(1, 0)
	u.isStable()
}

func TestImages_AutomaticCountIsChargedAsCreated(t *testing.T) {
	st := newStage(t)
	counted := 0
	u := st.run(t, "automatic", &writer{}, 0, "", withAI(&imageModel{}, 20, false), func(u *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		s.Spec.SlideCount = 0
		u.r.Writer = counting{u.text, &counted}
	})
	if counted != catalog.DefaultSlideEstimate {
		t.Errorf("got %d slides to write", counted)
	}
	u.hasUsed(1, 6) // the text model returned three
}

type counting struct {
	textgen.Writer
	slides *int
}

func (c counting) Write(ctx context.Context, r textgen.Request) (textgen.Draft, error) {
	*c.slides = r.SlideCount
	return c.Writer.Write(ctx, r)
}

func TestDelete_AfterSuccessIsCharged(t *testing.T) {
	st := newStage(t)
	u := st.run(t, "paid-late", &writer{}, 0, "", withAI(&imageModel{}, 20, true))
	u.delete()
	u.settle()
	u.hasUsed(1, 6)
}
