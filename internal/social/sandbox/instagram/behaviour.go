// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"net/http"
	"time"
)

// What publishing a container for the second time does, which is not documented.
const (
	// SecondRefused answers with an error, SecondSame with the post that is there, SecondDuplicate makes another post.
	SecondRefused   = "refused"
	SecondSame      = "same"
	SecondDuplicate = "duplicate"
)

// Shapes of the answer to a code.
const (
	ShapeNested = "nested"
	ShapeFlat   = "flat"
)

// Behaviour is what Instagram may do in one way or another. At /behaviour it is read and written as JSON.
type Behaviour struct {
	// TokenShape is flat, as seen, or nested, as documented.
	TokenShape string `json:"token_shape"`
	// SecondPublish is refused, same or duplicate.
	SecondPublish string `json:"second_publish"`
	// QuotaTotal is how many posts an account has within 24 hours, MaxContainers how many containers.
	QuotaTotal    int `json:"quota_total"`
	MaxContainers int `json:"max_containers"`
	// PublishedLag is how long a published container still says FINISHED, ListLag how long a post is missing from the list.
	PublishedLag Seconds `json:"published_lag_seconds"`
	ListLag      Seconds `json:"list_lag_seconds"`
	// StatusOutage is for how long a new container is not shown while it can be published, as in outages of Instagram.
	StatusOutage Seconds `json:"status_outage_seconds"`
	// Resumable takes upload_type resumable, which the documentation denies for Instagram Login.
	Resumable bool `json:"resumable"`
	// HideLikes leaves like_count out, as for owners who hide it.
	HideLikes bool `json:"hide_likes"`
	// WrappedMe answers /me within data.
	WrappedMe bool `json:"wrapped_me"`
	// FewFollowers leaves accounts with less than a hundred: of who came and who left nothing is told then.
	FewFollowers bool `json:"few_followers"`
	// NoMetrics are metrics that posts do not have: asked for, they fail the call.
	NoMetrics []string `json:"no_metrics"`
	// NoInsights has no insights for posts yet: no_viewers refuses them as it is done for posts that too few have seen, empty answers
	// without data.
	NoInsights string `json:"no_insights"`
}

// Ways of having no insights yet.
const (
	NoViewers = "no_viewers"
	NoDataYet = "empty"
)

// Seconds is a span, whole seconds in JSON.
type Seconds time.Duration

// MarshalJSON writes seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(int64(time.Duration(s) / time.Second))
}

// UnmarshalJSON reads seconds.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	var n int64
	err := json.Unmarshal(b, &n)
	*s = Seconds(time.Duration(n) * time.Second)
	return err
}

// Usual is the behaviour at the start.
var Usual = Behaviour{TokenShape: ShapeFlat, SecondPublish: SecondRefused, QuotaTotal: 100, MaxContainers: 400}

// Behave changes the behaviour until the next reset.
func (p *Platform) Behave(b Behaviour) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behaviour = b
}

func (p *Platform) now() Behaviour {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.behaviour
}

func (p *Platform) getBehaviour(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, p.now())
}

// putBehaviour changes what the body names, and nothing else.
func (p *Platform) putBehaviour(w http.ResponseWriter, r *http.Request) {
	b := p.now()
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		reply(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	if b.TokenShape != ShapeNested && b.TokenShape != ShapeFlat {
		reply(w, http.StatusBadRequest, map[string]string{"error": "token_shape is nested or flat"})
		return
	}
	if b.SecondPublish != SecondRefused && b.SecondPublish != SecondSame && b.SecondPublish != SecondDuplicate {
		reply(w, http.StatusBadRequest, map[string]string{"error": "second_publish is refused, same or duplicate"})
		return
	}
	if b.NoInsights != "" && b.NoInsights != NoViewers && b.NoInsights != NoDataYet {
		reply(w, http.StatusBadRequest, map[string]string{"error": "no_insights is no_viewers or empty"})
		return
	}
	p.Behave(b)
	reply(w, http.StatusOK, b)
}
