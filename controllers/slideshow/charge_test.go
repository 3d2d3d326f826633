// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// offered returns the objects of an installation with AI images at two credits each, and a plan with the given credits.
func offered(credits int32, holds ...v1beta1.Hold) *observed {
	return objects(func(o *observed) {
		o.ai = catalog.AIImages{Available: true, CreditsPerImage: 2}
		o.account.Spec.Plan.Credits = ptr.To(credits)
		month, _ := quota.Month(start)
		for i := range holds {
			holds[i].PeriodStart = metav1.NewTime(month)
		}
		o.account.Status.Holds = holds
	})
}

func fromAI(s *v1beta1.Slideshow) {
	s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourceAI}
}

// shows sets AI backgrounds with these ids in the status.
func shows(ids ...string) change {
	return func(s *v1beta1.Slideshow) {
		s.Status.Slides = nil
		for i, id := range ids {
			s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{ID: int64(i + 1), Background: v1beta1.SlideBackground{Source: "ai", ID: id}})
		}
	}
}

func credits(c v1beta1.CreditUse) change {
	return func(s *v1beta1.Slideshow) { s.Status.Credits = &c }
}

func TestDecide_ChargesCredits(t *testing.T) {
	door := v1beta1.Hold{Slideshow: "tea", Slideshows: 1, Credits: 14}
	held := v1beta1.Hold{Slideshow: "tea", UID: "u", Credits: 14}
	limited := func(o *observed) *observed { exhausted()(o); return o }
	for name, c := range map[string]struct {
		why  string
		s    *v1beta1.Slideshow
		o    *observed
		kind action
		code catalog.Code
	}{
		"no image model":               {"there is no image model", show(fromAI), objects(), actionFail, catalog.ValidationFailed},
		"enough credits":               {"seven images cost fourteen credits", show(fromAI), offered(14), actionStart, ""},
		"one credit short":             {"an automatic count is priced as seven", show(fromAI), offered(13), actionFail, catalog.InsufficientCredits},
		"fewer slides":                 {"three images cost six credits", show(fromAI, func(s *v1beta1.Slideshow) { s.Spec.SlideCount = 3 }), offered(6), actionStart, ""},
		"no credits in the plan":       {"a plan without credits pays for no images", show(fromAI), objects(func(o *observed) { o.ai.Available, o.ai.CreditsPerImage = true, 2 }), actionStart, ""},
		"reserved by the front end":    {"the plan has nothing left because this slideshow has reserved it", show(fromAI), limited(offered(14, door)), actionStart, ""},
		"reserved for another":         {"credits reserved for another slideshow are not available", show(fromAI), offered(14, v1beta1.Hold{Slideshow: "coffee", Slideshows: 1, Credits: 14}), actionFail, catalog.InsufficientCredits},
		"reserved already":             {"the account was written, the slideshow was not", show(fromAI), offered(14, held), actionStart, ""},
		"own images":                   {"images that the spec names are free", show(fromAI, byHand(ofStock("starter-night_sky-01"), ofStock("starter-night_sky-02"), ofStock("starter-night_sky-03"))), offered(0), actionStart, ""},
		"images to charge":             {"the work ended with images", show(fromAI, done, shows("ai-1"), credits(v1beta1.CreditUse{PerPicture: 2, Held: 14})), offered(20, held), actionSettle, ""},
		"images charged":               {"everything is charged", show(fromAI, done, shows("ai-1"), credits(v1beta1.CreditUse{PerPicture: 2, Paid: []string{"ai-1"}, Settlements: 1})), offered(20), actionNothing, ""},
		"failed with reserved credits": {"the credits are released first", show(fromAI, failedWith(catalog.GenerationFailed, true), credits(v1beta1.CreditUse{PerPicture: 2, Held: 14})), offered(20, held), actionSettle, ""},
		"failed, credits released":     {"the slideshow is refunded next", show(fromAI, failedWith(catalog.GenerationFailed, true), credits(v1beta1.CreditUse{PerPicture: 2})), offered(20), actionRefund, ""},
		"reserved, not recorded":       {"the account has the reservation", show(fromAI, failedWith(catalog.ValidationFailed, false)), offered(20, held), actionSettle, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := decide(c.s, c.o, start)
			var code catalog.Code
			if d.err != nil {
				code = catalog.Code(d.err.Code)
			}
			if d.kind != c.kind || code != c.code {
				t.Errorf("%s: got action %d %s, want %d %s", c.why, d.kind, code, c.kind, c.code)
			}
		})
	}
}

func ofStock(id string) *v1beta1.SlideImage { return &v1beta1.SlideImage{Stock: &id} }

func TestDue(t *testing.T) {
	type want struct {
		N, Credits int32
		Pictures   []string
	}
	for name, c := range map[string]struct {
		s    *v1beta1.Slideshow
		want want
	}{
		"new images":             {show(done, shows("a", "b"), credits(v1beta1.CreditUse{PerPicture: 2, Settlements: 3})), want{4, 4, []string{"a", "b"}}},
		"one charged before":     {show(done, shows("a", "b"), credits(v1beta1.CreditUse{PerPicture: 2, Paid: []string{"a"}})), want{1, 2, []string{"b"}}},
		"failed":                 {show(failedWith(catalog.GenerationFailed, false), shows("a"), credits(v1beta1.CreditUse{PerPicture: 2})), want{1, 0, nil}},
		"a plan without credits": {show(done, shows("a")), want{1, 0, []string{"a"}}},
		"stock backgrounds":      {show(done, credits(v1beta1.CreditUse{PerPicture: 2})), want{1, 0, nil}},
	} {
		n, credits, pictures := due(c.s)
		if diff := cmp.Diff(c.want, want{n, credits, pictures}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPaidImages_AreBounded(t *testing.T) {
	s := show(done, shows("new"), credits(v1beta1.CreditUse{}))
	for i := range maxPaid {
		s.Status.Credits.Paid = append(s.Status.Credits.Paid, fmt.Sprint(i))
	}
	if err := (&Reconciler{}).settle(t.Context(), s, objects()); err != nil {
		t.Fatal(err)
	}
	if p := s.Status.Credits.Paid; len(p) != maxPaid || p[maxPaid-1] != "new" || p[0] != "1" {
		t.Errorf("got %d entries, from %s to %s", len(p), p[0], p[len(p)-1])
	}
}
