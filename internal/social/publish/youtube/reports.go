// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// changedDays is the number of days for which subscriber changes are read. It covers the longest period shown and
	// the delay of reports.
	changedDays = 35
	// behind is the minimum delay of reports. Younger videos are not requested.
	behind = 24 * time.Hour
	// maxRows is the maximum number of rows in a report of videos.
	maxRows = "200"
)

// report is a table with named columns.
type report struct {
	ColumnHeaders []struct {
		Name string `json:"name"`
	} `json:"columnHeaders"`
	// Rows is missing when the report is empty.
	Rows [][]json.RawMessage `json:"rows"`
}

// column returns the index of a column; -1 when there is none.
func (r *report) column(name string) int {
	for i, c := range r.ColumnHeaders {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// word and number return a cell of a row, and whether the cell has that type and a value.
func (r *report) word(row []json.RawMessage, name string) (s string, ok bool) {
	i := r.column(name)
	return s, i >= 0 && i < len(row) && json.Unmarshal(row[i], &s) == nil && s != ""
}

func (r *report) number(row []json.RawMessage, name string) (int64, bool) {
	i := r.column(name)
	var f float64
	if i < 0 || i >= len(row) || string(row[i]) == "null" || json.Unmarshal(row[i], &f) != nil || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(math.Round(f)), true
}

// read returns a report of the channel; nil when it is unavailable, so that only the metrics in it are missing. Reports
// are a separate API that an app may not have enabled, and with its own quota. Errors are those of the token, and
// transient ones.
func (p *Platform) read(ctx context.Context, a publish.Account, q url.Values) (*report, error) {
	q.Set("ids", "channel==MINE")
	q.Set("endDate", p.c.Clock.Now().In(pacific).Format(time.DateOnly))
	r := &report{}
	err := p.getAt(ctx, a, p.c.ReportsURL+"/v2/reports", q, r)
	if err == nil {
		return r, nil
	}
	switch publish.KindOf(err) {
	case publish.Unauthorized, publish.Auth, publish.Transient:
		return nil, err
	}
	return nil, nil
}

// changes returns the daily changes of the subscribers.
func (p *Platform) changes(ctx context.Context, a publish.Account) ([]analytics.Change, error) {
	r, err := p.read(ctx, a, url.Values{
		"startDate": {p.c.Clock.Now().In(pacific).AddDate(0, 0, -changedDays).Format(time.DateOnly)}, "dimensions": {"day"}, "sort": {"day"},
		"metrics": {"subscribersGained,subscribersLost"},
	})
	if err != nil && publish.KindOf(err) == publish.Transient {
		return nil, nil // changes recorded for earlier days stay
	}
	if r == nil || err != nil {
		return nil, err
	}
	var out []analytics.Change
	for _, row := range r.Rows {
		day, ok := r.word(row, "day")
		gained, some := r.number(row, "subscribersGained")
		lost, too := r.number(row, "subscribersLost")
		if ok && some && too {
			out = append(out, analytics.Change{Day: day, Followers: gained - lost})
		}
	}
	return out, nil
}

// shares returns the number of shares of the videos that the reports contain.
func (p *Platform) shares(ctx context.Context, a publish.Account, posts []analytics.Post) (map[string]int64, error) {
	now := p.c.Clock.Now()
	from := now
	var ids []string
	for i := range posts {
		if at := posts[i].PostedAt; now.Sub(at) >= behind {
			ids = append(ids, posts[i].ID)
			if at.Before(from) {
				from = at
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	r, err := p.read(ctx, a, url.Values{
		// A report of videos contains the top maxResults videos by a sort column.
		"startDate": {startOf(from)}, "dimensions": {"video"}, "filters": {"video==" + strings.Join(ids, ",")}, "metrics": {"views,shares"},
		"sort": {"-views"}, "maxResults": {maxRows},
	})
	if r == nil || err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, row := range r.Rows {
		id, ok := r.word(row, "video")
		if n, some := r.number(row, "shares"); ok && some && n >= 0 {
			out[id] = n
		}
	}
	return out, nil
}

// youtubeBegan is earlier than the first day of any video.
var youtubeBegan = time.Date(2005, 4, 1, 0, 0, 0, 0, time.UTC)

// startOf returns the date of the day before t in the format of reports. A video may have views before it became
// public.
func startOf(t time.Time) string {
	t = t.In(pacific).AddDate(0, 0, -1)
	if t.Before(youtubeBegan) {
		t = youtubeBegan
	}
	return t.Format(time.DateOnly)
}
