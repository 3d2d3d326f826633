// SPDX-License-Identifier: Apache-2.0

package analytics_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/youtube"
)

var weeks = flag.Int("weeks", 6, "weeks that the simulation lasts")

const day = 24 * time.Hour

// gone is a deleted post.
type gone struct {
	sandbox.Landing
	at time.Time
}

// simulation is the activity of five accounts, and the results of their refreshes.
type simulation struct {
	*world
	*rand.Rand
	accounts []*account
	// removed are the posts that their owners deleted, by account and then by id. counts are the last reported follower
	// counts of a day.
	removed map[*account]map[string]gone
	counts  map[*account]map[string]*int64
	// unshared is when Instagram reported no shares.
	unshared [2]time.Time
	checked  int
}

// TestSimulation_SixWeeks simulates five accounts. They post through Reelops and elsewhere, delete posts, and hide
// metrics; platforms fail now and then. After the first refresh of every day, the document is compared with the data
// of the sandbox.
func TestSimulation_SixWeeks(t *testing.T) {
	w := newWorld(t)
	s := &simulation{world: w, Rand: rand.New(rand.NewPCG(7, 11)), removed: map[*account]map[string]gone{}, counts: map[*account]map[string]*int64{}}
	for _, a := range [][2]string{{"tiktok", "maya"}, {"youtube", "maya"}, {"instagram", "maya"}, {"linkedin", "maya"}, {"linkedin", "acme"}} {
		x := w.connect(t, a[0], a[1])
		s.accounts, s.removed[x], s.counts[x] = append(s.accounts, x), map[string]gone{}, map[string]*int64{}
		// Earlier posts: some are too old to be included.
		s.elsewhere(t, x, 80, 1700)
	}
	s.unshared = [2]time.Time{begin.Add(14 * day), begin.Add(16 * day)}
	last := map[*account]string{}
	for hour := range *weeks * 7 * 24 {
		s.script(t, hour)
		for _, a := range s.accounts {
			s.live(t, a, hour)
		}
		for _, a := range s.accounts {
			if w.clock.Now().Before(a.next) {
				continue
			}
			d := w.refresh(t, a)
			today := d.RefreshedAt.Format(time.DateOnly)
			s.counts[a][today] = d.Totals.Followers
			if s.refused(t, a, d, hour) {
				continue
			}
			if last[a] != today {
				last[a] = today
				s.check(t, a, w.read(t, a.key))
			}
			if t.Failed() {
				t.Fatalf("%s of %s on %s", a.platform, a.name, today)
			}
		}
		w.clock.SetTime(begin.Add(time.Duration(hour+1) * time.Hour))
	}
	if want := *weeks * 7 * len(s.accounts); s.checked < want-2 {
		t.Errorf("got %d comparisons, want %d", s.checked, want)
	}
	t.Logf("got %d calls, %d comparisons", len(w.core.Calls()), s.checked)
}

// script contains the events of certain hours.
func (s *simulation) script(t *testing.T, hour int) {
	t.Helper()
	switch hour {
	case 10*24 + 1:
		// TikTok refuses the second page of the next list.
		if err := s.core.SetFaults(sandbox.Fault{Platform: "tiktok", Call: "video.list", Do: sandbox.Status, Status: 429, Skip: 1}); err != nil {
			t.Fatal(err)
		}
	case 14 * 24:
		b := instagram.Usual
		b.NoMetrics = []string{"shares"}
		s.instagram.Behave(b)
	case 16 * 24:
		s.instagram.Behave(instagram.Usual)
	case 20 * 24:
		r := youtube.Generous()
		r.HideSubscribers = map[string]bool{"maya": true}
		s.youtube.SetRules(r)
	case 24 * 24:
		s.youtube.SetRules(youtube.Generous())
	}
}

// refused reports whether the refresh is the interrupted one.
func (s *simulation) refused(t *testing.T, a *account, d *analytics.Document, hour int) bool {
	t.Helper()
	want := a.platform == "tiktok" && hour >= 10*24+1 && hour < 10*24+7 && d.Incomplete != nil
	if d.Incomplete != nil && !want {
		t.Errorf("%s: got %v", a.platform, d.Incomplete)
	}
	return d.Incomplete != nil
}

// live simulates an hour of an account.
func (s *simulation) live(t *testing.T, a *account, hour int) {
	t.Helper()
	posts := map[string]float64{"tiktok": 8, "youtube": 2, "instagram": 2, "linkedin": 0.4}[string(a.platform)] / 24
	if s.Float64() < posts {
		l := s.elsewhere(t, a, 1, 60)[0]
		if s.Float64() < 0.4 {
			s.ours(a, l.ID, l.At)
		}
	}
	if s.Float64() < 0.01 { // a post of another app
		if _, err := s.core.PostElsewhere(sandbox.Elsewhere{Platform: string(a.platform), Account: "studio", Caption: "of another"}); err != nil {
			t.Fatal(err)
		}
	}
	if s.Float64() < 0.02 {
		s.takeDown(t, a)
	}
	if hour%(14*24) == 5*24+9 {
		id := s.publish(t, a, fmt.Sprint("film of hour ", hour))
		s.ours(a, id, s.clock.Now())
	}
}

func (s *simulation) elsewhere(t *testing.T, a *account, count, minutes int) []sandbox.Landing {
	t.Helper()
	at := s.clock.Now().Add(-time.Duration(s.IntN(3500)) * time.Second)
	list, err := s.core.PostElsewhere(sandbox.Elsewhere{
		Platform: string(a.platform), Account: a.name, Title: "Made elsewhere", Caption: fmt.Sprint("at ", at), At: at, Count: count, Minutes: minutes,
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (s *simulation) ours(a *account, id string, at time.Time) {
	n := int64(len(a.ours) + 1)
	a.ours = append(a.ours, analytics.Ours{PlatformPostID: id, Post: 100 + n, Short: 500 + n, PostedAt: at, Caption: "ours"})
}

// takeDown deletes a random post of the account.
func (s *simulation) takeDown(t *testing.T, a *account) {
	t.Helper()
	there := s.core.LandedOn(string(a.platform), a.name)
	if len(there) == 0 {
		return
	}
	l := there[s.IntN(min(len(there), 60))]
	if err := s.core.TakeDown(string(a.platform), l.ID); err != nil {
		t.Fatal(err)
	}
	s.removed[a][l.ID] = gone{l, s.clock.Now()}
}

// platformNumbers returns the metrics that the platform reports for a post at a time.
func (s *simulation) platformNumbers(a *account, l sandbox.Landing, now time.Time) analytics.Numbers {
	n := l.Numbers(now)
	out := analytics.Numbers{Views: &n.Views, Likes: &n.Likes, Comments: &n.Comments, Shares: &n.Shares}
	switch {
	case a.platform == "instagram":
		out.Favorites = &n.Saves
		if !now.Before(s.unshared[0]) && now.Before(s.unshared[1]) {
			out.Shares = nil
		}
	case a.platform == "youtube":
		// Only reports contain shares. They cover whole days in California, with a delay of two days.
		california, err := time.LoadLocation("America/Los_Angeles")
		if err != nil {
			panic(err)
		}
		y, m, d := now.Add(-48 * time.Hour).In(california).Date()
		out.Shares = nil
		if then := l.Numbers(time.Date(y, m, d, 0, 0, 0, 0, california)); then.Views > 0 {
			out.Shares = &then.Shares
		}
	case a.platform == "linkedin" && a.name == "maya":
		out.Favorites = &n.Saves
	}
	return out
}

// check compares a new document with the data of the sandbox.
func (s *simulation) check(t *testing.T, a *account, d *analytics.Document) {
	t.Helper()
	s.checked++
	now := d.RefreshedAt
	ours := map[string]analytics.Ours{}
	for _, o := range a.ours {
		ours[o.PlatformPostID] = o
	}
	there := map[string]sandbox.Landing{}
	for _, l := range s.core.LandedOn(string(a.platform), a.name) {
		_, mine := ours[l.ID]
		if l.At.Before(now.Add(-90*day)) || (a.platform == "linkedin" && a.name == "maya" && !mine) { // posts of members are not listed
			continue
		}
		there[l.ID] = l
	}
	rows := map[string]analytics.Row{}
	for _, r := range d.Rows {
		if _, twice := rows[r.ID]; twice {
			t.Errorf("%s is listed twice", r.ID)
		}
		rows[r.ID] = r
		l, known := there[r.ID]
		if !known {
			s.checkGone(t, a, r, now)
			continue
		}
		s.checkRow(t, a, r, l, ours[r.ID], now)
	}
	for id, l := range there {
		if _, known := rows[id]; !known {
			t.Errorf("%s of %v is missing", id, l.At)
		}
	}
	for _, period := range catalog.AnalyticsPeriods {
		for _, only := range []bool{false, true} {
			q := analytics.Query{Period: period.Length, OursOnly: only}
			s.checkSummary(t, a, d, q, now, ours)
			s.checkOrder(t, d, q, now)
		}
	}
	s.checkGrowth(t, a, d, now)
}

// checkGone checks a row of a deleted post: it may exist until it had to be measured.
func (s *simulation) checkGone(t *testing.T, a *account, r analytics.Row, now time.Time) {
	t.Helper()
	was, removed := s.removed[a][r.ID]
	lists := s.sources[a.platform].Terms(a.Account).Lists
	age, since := now.Sub(r.PostedAt), now.Sub(was.at)
	switch {
	case !removed:
		t.Errorf("the row %+v belongs to no post of the account", r)
	case lists && (age < 7*day || since > day+12*time.Hour), !lists && since > fresh(age)+12*time.Hour:
		t.Errorf("%s of %v was deleted %v ago and is still listed", r.ID, r.PostedAt, since)
	}
}

// fresh returns how long metrics may stay, by the age of their post.
func fresh(age time.Duration) time.Duration {
	switch {
	case age < 2*day:
		return 0
	case age < 7*day:
		return 3 * time.Hour
	case age < 30*day:
		return 12 * time.Hour
	}
	return 3 * day
}

func (s *simulation) checkRow(t *testing.T, a *account, r analytics.Row, l sandbox.Landing, o analytics.Ours, now time.Time) {
	t.Helper()
	if !r.PostedAt.Equal(l.At.Truncate(time.Second)) && !l.At.Truncate(time.Millisecond).Equal(r.PostedAt) && o.Post == 0 {
		t.Errorf("%s was posted %v, want %v", r.ID, l.At, r.PostedAt)
	}
	if diff := gocmp.Diff(s.platformNumbers(a, l, r.MeasuredAt), r.Numbers); diff != "" {
		t.Errorf("%s, measured %v ago (-want +got):\n%s", r.ID, now.Sub(r.MeasuredAt), diff)
	}
	if old, limit := now.Sub(r.MeasuredAt), fresh(now.Sub(r.PostedAt)); old > 0 && old >= limit {
		t.Errorf("metrics of a post %v old are %v old", now.Sub(r.PostedAt), old)
	}
	if r.OurPost != o.Post || r.OurShort != o.Short {
		t.Errorf("%s is linked to %d and %d, want %d and %d", r.ID, r.OurPost, r.OurShort, o.Post, o.Short)
	}
}

// checkSummary sums the data of the sandbox, as of the time each post was measured.
func (s *simulation) checkSummary(t *testing.T, a *account, d *analytics.Document, q analytics.Query, now time.Time, ours map[string]analytics.Ours) {
	t.Helper()
	var posts int
	sums := [5]int64{}
	have := [5]int{}
	for _, r := range d.Rows {
		l, there := s.core.LandedByID(string(a.platform), r.ID)
		_, mine := ours[r.ID]
		if !there { // deleted, and not detected yet
			l = s.removed[a][r.ID].Landing
		}
		if age := now.Sub(r.PostedAt); age > q.Period || (q.OursOnly && !mine) {
			continue
		}
		posts++
		n := s.platformNumbers(a, l, r.MeasuredAt)
		for i, v := range []*int64{n.Views, n.Likes, n.Comments, n.Shares, n.Favorites} {
			if v != nil {
				sums[i] += *v
				have[i]++
			}
		}
	}
	want := analytics.Summary{Since: now.Add(-q.Period), Until: now, Followers: d.Totals.Followers, Posts: posts}
	did, known := int64(0), false
	for i, into := range []**int64{&want.Views, &want.Likes, &want.Comments, &want.Shares, &want.Favorites} {
		if have[i] > 0 {
			*into = &sums[i]
			if i > 0 {
				did, known = did+sums[i], true
			}
		}
	}
	if want.Views != nil && sums[0] > 0 && known {
		rate := float64(did) / float64(sums[0])
		want.Rate = &rate
	}
	if have[0] > 0 {
		mean := float64(sums[0]) / float64(have[0])
		want.AverageViews = &mean
	}
	got := d.Summarize(q, now)
	got.FollowerChange = nil
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s of %s, %v (-want +got):\n%s", a.platform, a.name, q, diff)
	}
}

// checkOrder checks all columns in both directions.
func (s *simulation) checkOrder(t *testing.T, d *analytics.Document, q analytics.Query, now time.Time) {
	t.Helper()
	for i, column := range catalog.AnalyticsSorts() {
		q.Sort, q.Ascending = column, s.IntN(2) == 0
		rows := d.Select(q, now)
		number := func(r analytics.Row) *int64 {
			posted := r.PostedAt.UnixNano()
			return []*int64{&posted, r.Views, r.Likes, r.Comments, r.Shares, r.Favorites}[i]
		}
		value := func(r analytics.Row) float64 {
			n := number(r)
			switch {
			case n == nil:
				return math.Inf(1)
			case q.Ascending:
				return float64(*n)
			}
			return -float64(*n)
		}
		for k := 1; k < len(rows); k++ {
			x, y := rows[k-1], rows[k]
			if cmp.Or(cmp.Compare(value(x), value(y)), y.PostedAt.Compare(x.PostedAt), cmp.Compare(x.ID, y.ID)) >= 0 {
				t.Errorf("by %s, ascending %v: %s precedes %s", column, q.Ascending, x.ID, y.ID)
			}
		}
	}
}

// checkGrowth compares the history with the reported data.
func (s *simulation) checkGrowth(t *testing.T, a *account, d *analytics.Document, now time.Time) {
	t.Helper()
	days := map[string]analytics.Day{}
	for _, x := range d.Growth(now.Add(-30 * day)) {
		days[x.Day] = x
	}
	for name, told := range s.counts[a] {
		if x, there := days[name]; there != (name >= now.Add(-30*day).Format(time.DateOnly)) || (there && told != nil && gocmp.Diff(told, x.Followers) != "") {
			t.Errorf("%s: followers of %s: got %v, want %v", a.platform, name, x.Followers, there)
		}
	}
	if i := slices.IndexFunc(d.History, func(x analytics.Day) bool { return x.Day > now.Format(time.DateOnly) }); i >= 0 {
		t.Errorf("got a history for %s", d.History[i].Day)
	}
	for _, period := range catalog.AnalyticsPeriods {
		then := s.counts[a][now.Add(-period.Length).Format(time.DateOnly)]
		got := d.Summarize(analytics.Query{Period: period.Length}, now).FollowerChange
		switch {
		case d.Totals.Followers == nil || then == nil:
			if a.platform == "tiktok" && got != nil && !s.near(a, now.Add(-period.Length)) {
				t.Errorf("got a change of %d followers in %s, which was not reported", *got, period.Name)
			}
		case got == nil || *got != *d.Totals.Followers-*then:
			t.Errorf("%s: change %v in %s, from %d to %d followers", a.platform, got, period.Name, *then, *d.Totals.Followers)
		}
	}
}

// near reports whether followers were reported on the two days before.
func (s *simulation) near(a *account, t time.Time) bool {
	return s.counts[a][t.Add(-day).Format(time.DateOnly)] != nil || s.counts[a][t.Add(-2*day).Format(time.DateOnly)] != nil
}
