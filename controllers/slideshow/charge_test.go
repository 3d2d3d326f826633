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

func TestDecide_Pays(t *testing.T) {
	door := v1beta1.Hold{Slideshow: "tea", Slideshows: 1, Credits: 14}
	held := v1beta1.Hold{Slideshow: "tea", UID: "u", Credits: 14}
	limited := func(o *observed) *observed { usedUp()(o); return o }
	for name, c := range map[string]struct {
		why  string
		s    *v1beta1.Slideshow
		o    *observed
		kind action
		code catalog.Code
	}{
		"no picture model":         {"there is nobody to make them", show(fromAI), objects(), actionFail, catalog.ValidationFailed},
		"enough credits":           {"seven pictures cost fourteen", show(fromAI), offered(14), actionStart, ""},
		"one too few":              {"an automatic count is priced with seven", show(fromAI), offered(13), actionFail, catalog.InsufficientCredits},
		"fewer slides":             {"three cost six", show(fromAI, func(s *v1beta1.Slideshow) { s.Spec.SlideCount = 3 }), offered(6), actionStart, ""},
		"no credits shown":         {"such a plan pays none", show(fromAI), objects(func(o *observed) { o.ai.Available, o.ai.CreditsPerImage = true, 2 }), actionStart, ""},
		"held at the door":         {"the plan has nothing left because this slideshow holds it", show(fromAI), limited(offered(14, door)), actionStart, ""},
		"held for another":         {"what another holds is gone", show(fromAI), offered(14, v1beta1.Hold{Slideshow: "coffee", Slideshows: 1, Credits: 14}), actionFail, catalog.InsufficientCredits},
		"held for it already":      {"the account was written, the slideshow was not", show(fromAI), offered(14, held), actionStart, ""},
		"own pictures":             {"pictures that the spec names cost nothing", show(fromAI, byHand(ofStock("starter-night_sky-01"), ofStock("starter-night_sky-02"), ofStock("starter-night_sky-03"))), offered(0), actionStart, ""},
		"pictures to pay":          {"work has ended with pictures", show(fromAI, done, shows("ai-1"), credits(v1beta1.CreditUse{PerPicture: 2, Held: 14})), offered(20, held), actionSettle, ""},
		"pictures paid":            {"all is settled", show(fromAI, done, shows("ai-1"), credits(v1beta1.CreditUse{PerPicture: 2, Paid: []string{"ai-1"}, Settlements: 1})), offered(20), actionNothing, ""},
		"failed with credits held": {"they are given back first", show(fromAI, failedWith(catalog.GenerationFailed, true), credits(v1beta1.CreditUse{PerPicture: 2, Held: 14})), offered(20, held), actionSettle, ""},
		"failed, given back":       {"then the charge", show(fromAI, failedWith(catalog.GenerationFailed, true), credits(v1beta1.CreditUse{PerPicture: 2})), offered(20), actionRefund, ""},
		"held, nobody noted it":    {"the account knows", show(fromAI, failedWith(catalog.ValidationFailed, false)), offered(20, held), actionSettle, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := decide(c.s, c.o, start)
			var code catalog.Code
			if d.err != nil {
				code = catalog.Code(d.err.Code)
			}
			if d.kind != c.kind || code != c.code {
				t.Errorf("%s: action %d %s, want %d %s", c.why, d.kind, code, c.kind, c.code)
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
		"new pictures":      {show(done, shows("a", "b"), credits(v1beta1.CreditUse{PerPicture: 2, Settlements: 3})), want{4, 4, []string{"a", "b"}}},
		"one paid before":   {show(done, shows("a", "b"), credits(v1beta1.CreditUse{PerPicture: 2, Paid: []string{"a"}})), want{1, 2, []string{"b"}}},
		"failed":            {show(failedWith(catalog.GenerationFailed, false), shows("a"), credits(v1beta1.CreditUse{PerPicture: 2})), want{1, 0, nil}},
		"a plan without":    {show(done, shows("a")), want{1, 0, []string{"a"}}},
		"stock backgrounds": {show(done, credits(v1beta1.CreditUse{PerPicture: 2})), want{1, 0, nil}},
	} {
		n, credits, pictures := due(c.s)
		if diff := cmp.Diff(c.want, want{n, credits, pictures}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPaidPicturesAreBounded(t *testing.T) {
	s := show(done, shows("new"), credits(v1beta1.CreditUse{}))
	for i := range maxPaid {
		s.Status.Credits.Paid = append(s.Status.Credits.Paid, fmt.Sprint(i))
	}
	if err := (&Reconciler{}).settle(t.Context(), s, objects()); err != nil {
		t.Fatal(err)
	}
	if p := s.Status.Credits.Paid; len(p) != maxPaid || p[maxPaid-1] != "new" || p[0] != "1" {
		t.Errorf("%d are kept, from %s to %s", len(p), p[0], p[len(p)-1])
	}
}
