// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// decodeRow reads a row's line. A reader waits for this, ten thousand times on a large account: lines as Encode writes them are read
// here, all others by encoding/json, and both come to the same.
func decodeRow(line []byte, r *Row, space *room) error {
	c := cursor{b: line, room: space}
	if c.row(r) {
		return nil
	}
	*r = Row{}
	if err := json.Unmarshal(line, r); err != nil {
		return err
	}
	r.PostedAt, r.MeasuredAt = r.PostedAt.UTC(), r.MeasuredAt.UTC()
	return nil
}

// cursor goes through a line. Its methods say false where the line is not as Encode writes it; it is then left as it is.
type cursor struct {
	b []byte
	i int
	*room
}

func (c *cursor) row(r *Row) bool {
	if !c.take('{') {
		return false
	}
	for first := true; !c.take('}'); first = false {
		if !first && !c.take(',') {
			return false
		}
		name, ok := c.plain()
		if !ok || !c.take(':') {
			return false
		}
		switch string(name) {
		case "id":
			ok = c.text(&r.ID)
		case "title":
			ok = c.text(&r.Title)
		case "caption":
			ok = c.text(&r.Caption)
		case "url":
			ok = c.text(&r.URL)
		case "thumbnail_url":
			ok = c.text(&r.ThumbnailURL)
		case "posted_at":
			ok = c.time(&r.PostedAt)
		case "measured_at":
			ok = c.time(&r.MeasuredAt)
		case "seconds":
			ok = c.seconds(&r.Seconds)
		case "views":
			ok = c.known(&r.Views)
		case "likes":
			ok = c.known(&r.Likes)
		case "comments":
			ok = c.known(&r.Comments)
		case "shares":
			ok = c.known(&r.Shares)
		case "favorites":
			ok = c.known(&r.Favorites)
		case "our_post":
			r.OurPost, ok = c.whole()
		case "our_short":
			r.OurShort, ok = c.whole()
		default:
			return false
		}
		if !ok {
			return false
		}
	}
	return c.i == len(c.b)
}

func (c *cursor) take(b byte) bool {
	if c.i < len(c.b) && c.b[c.i] == b {
		c.i++
		return true
	}
	return false
}

// plain is a string without escapes, in quotes.
func (c *cursor) plain() ([]byte, bool) {
	if !c.take('"') {
		return nil, false
	}
	from := c.i
	for ; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			return c.b[from : c.i-1], true
		case b == '\\' || b < ' ':
			return nil, false
		}
	}
	return nil, false
}

// text is a string; with escapes of one letter, as captions of many lines have them.
func (c *cursor) text(into *string) bool {
	from := c.i
	if s, ok := c.plain(); ok {
		*into = string(s)
		return utf8.Valid(s)
	}
	c.i = from
	if !c.take('"') {
		return false
	}
	out := c.room.text[:0]
	defer func() { c.room.text = out }()
	for c.i < len(c.b) {
		b := c.b[c.i]
		c.i++
		switch {
		case b == '"':
			*into = string(out)
			return utf8.Valid(out)
		case b < ' ':
			return false
		case b == '\\':
			if c.i == len(c.b) {
				return false
			}
			e, ok := escapes[c.b[c.i]]
			if !ok {
				return false
			}
			b = e
			c.i++
		}
		out = append(out, b)
	}
	return false
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (c *cursor) time(into *time.Time) bool {
	s, ok := c.plain()
	if !ok || len(s) == 0 || s[len(s)-1] != 'Z' {
		return false
	}
	return into.UnmarshalText(s) == nil
}

// digits of a number up to where it ends.
func (c *cursor) digits() []byte {
	from := c.i
	for c.i < len(c.b) && c.b[c.i] != ',' && c.b[c.i] != '}' {
		c.i++
	}
	return c.b[from:c.i]
}

// whole is a number without a fraction, of at most 18 digits.
func (c *cursor) whole() (int64, bool) {
	s := c.digits()
	negative := len(s) > 1 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 18 || (s[0] == '0' && (len(s) > 1 || negative)) {
		return 0, false
	}
	var n int64
	for _, b := range s {
		if b < '0' || b > '9' {
			return 0, false
		}
		n = n*10 + int64(b-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

func (c *cursor) known(into **int64) bool {
	n, ok := c.whole()
	if ok {
		*into = c.place(n)
	}
	return ok
}

// seconds are written with digits and a point; what has an exponent is rare.
func (c *cursor) seconds(into *float64) bool {
	s := c.digits()
	if len(s) == 0 || len(s) > 24 || s[0] < '0' || s[0] > '9' || s[len(s)-1] == '.' || (len(s) > 1 && s[0] == '0' && s[1] != '.') {
		return false
	}
	for _, b := range s {
		if (b < '0' || b > '9') && b != '.' {
			return false
		}
	}
	f, err := strconv.ParseFloat(string(s), 64)
	*into = f
	return err == nil
}
