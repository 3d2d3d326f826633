// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

// Examples of responses for the API description. They are created by the code that creates the real responses.

var exampleBrand = view.Brand{
	ID: 7, Current: true, Stats: view.BrandStats{TotalShorts: 12, TotalProductDemos: 2},
	Brand: &v1beta1.Brand{
		ObjectMeta: metav1.ObjectMeta{Name: "acme", CreationTimestamp: metav1.NewTime(exampleTime.Time)},
		Spec: v1beta1.BrandSpec{
			DisplayName: "Acme Sleep", Description: "Bedding for people who wake early.", Website: "https://acme.example", Language: "en", Timezone: "Europe/Paris",
			Profile: v1beta1.BrandProfile{
				Audience: "Parents with little time", Tone: "Warm and plain", ValuePoints: []string{"Ready to ship"}, BannedWords: []string{"cheap"},
			},
			SlideshowDefaults: v1beta1.SlideshowDefaults{DesignStyle: catalog.DesignStyles[0].ID},
		},
	},
}

var exampleAccount = *view.AccountOf(1,
	&v1beta1.Account{Spec: v1beta1.AccountSpec{Email: "anna@example.com", Plan: v1beta1.Plan{Name: "starter", SlideshowLimit: ptr.To[int32](50)}}},
	[]view.BrandRef{{ID: 7, Name: "Acme Sleep"}}, 0,
	view.Key{ID: 3, Name: "my program", Scopes: apikey.Expand([]v1beta1.Scope{"read"}), BrandID: 7, RequestCount: 1},
	time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))

func exampleCapabilities() any {
	c, err := view.CapabilitiesOf(catalog.AIImages{}, view.Purse{}, voices.Set{})
	if err != nil {
		panic(err) // the catalog consists of plain values
	}
	return c
}

func exampleError() any {
	e, _ := catalog.LookupError(catalog.RateLimited)
	return view.ErrorEntryOf(e, "http://127.0.0.1:8080")
}

var (
	exampleShort = view.ShortDetail{
		ShortCore: exampleRecord.ShortCore, TypeData: view.TypeData{Slideshow: &exampleRecord.TypeData}, Posts: []view.Post{examplePost},
		Job: view.Nullable[view.Job]{Value: &exampleJob},
	}
	exampleList = []view.ShortSummary{exampleFilm.ShortSummary, exampleRecord.ShortSummary}
)
