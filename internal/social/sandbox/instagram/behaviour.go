// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"net/http"
	"time"
)

// Results of publishing a container for the second time, which Instagram does not document.
const (
	// SecondRefused returns an error, SecondSame returns the existing post, SecondDuplicate creates another post.
	SecondRefused   = "refused"
	SecondSame      = "same"
	SecondDuplicate = "duplicate"
)

// Shapes of the response to a code exchange.
const (
	ShapeNested = "nested"
	ShapeFlat   = "flat"
)

// Behaviour selects between possible behaviours of Instagram. It can be read and written as JSON at /behaviour.
type Behaviour struct {
	// TokenShape is flat, as observed, or nested, as documented.
	TokenShape string `json:"token_shape"`
	// SecondPublish is refused, same or duplicate.
	SecondPublish string `json:"second_publish"`
	// QuotaTotal is the maximum number of posts of an account within 24 hours, MaxContainers the maximum number of
	// containers.
	QuotaTotal    int `json:"quota_total"`
	MaxContainers int `json:"max_containers"`
	// PublishedLag is how long the status of a published container stays FINISHED. ListLag is how long a new post is
	// missing from the list of media.
	PublishedLag Seconds `json:"published_lag_seconds"`
	ListLag      Seconds `json:"list_lag_seconds"`
	// StatusOutage is how long a new container can be published but not read, as during outages of Instagram.
	StatusOutage Seconds `json:"status_outage_seconds"`
	// Resumable accepts upload_type resumable, which the documentation excludes for Instagram Login.
	Resumable bool `json:"resumable"`
	// HideLikes omits like_count, as for owners who hide the like count.
	HideLikes bool `json:"hide_likes"`
	// WrappedMe wraps the response of /me in data.
	WrappedMe bool `json:"wrapped_me"`
	// FewFollowers gives accounts fewer than 100 followers, so that the API returns no gained and lost followers.
	FewFollowers bool `json:"few_followers"`
	// NoMetrics are metrics that posts do not have. A call that requests one of them fails.
	NoMetrics []string `json:"no_metrics"`
	// NoInsights makes posts have no insights yet. With no_viewers the call fails, as for posts with too few viewers;
	// with empty the response has no data.
	NoInsights string `json:"no_insights"`
}

// Values of Behaviour.NoInsights.
const (
	NoViewers = "no_viewers"
	NoDataYet = "empty"
)

// Seconds is a duration, encoded as whole seconds in JSON.
type Seconds time.Duration

// MarshalJSON encodes the duration as whole seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(int64(time.Duration(s) / time.Second))
}

// UnmarshalJSON decodes whole seconds.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	var n int64
	err := json.Unmarshal(b, &n)
	*s = Seconds(time.Duration(n) * time.Second)
	return err
}

// Usual is the default behaviour.
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

// putBehaviour changes only the fields that the body sets.
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
