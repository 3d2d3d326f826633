// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"time"
)

// Visibility of a post.
const (
	Public  = "public"
	Inbox   = "inbox"
	Private = "private"
)

// Landing is a post as the platform stores it.
type Landing struct {
	Platform string `json:"platform"`
	// Account is the name, AccountID the platform's ID, Username the handle. Land fills in AccountID and Username.
	Account   string `json:"account"`
	AccountID string `json:"account_id"`
	Username  string `json:"username"`
	// Kind is video or photo_set.
	Kind string `json:"kind"`
	// Mode is direct for public posts and draft for all others. Land fills it in.
	Mode       string `json:"mode"`
	Visibility string `json:"visibility"`
	// Title and Caption as the platform parsed them, with escapes removed.
	Title   string `json:"title"`
	Caption string `json:"caption"`
	// At is the time of the last change of visibility; Land sets it to the current time when zero.
	At time.Time `json:"time"`
	// Bytes and SHA256 (hex) of the media. For a photo set they cover all photos, concatenated. Land computes them from
	// File or Photos.
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// ID is the platform's ID of the post. URL is its public address.
	ID  string `json:"platform_id"`
	URL string `json:"url"`
	// Elsewhere reports whether a user created the post in the platform's own app, without an upload.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Audience of a public post, as the platform names it; empty when the post is visible to everyone.
	Audience string `json:"audience,omitempty"`
	// Cover that the author chose for a video: a timestamp such as "1500 ms", or the SHA-256 (hex) of an image.
	Cover string `json:"cover,omitempty"`
	// OffFeed reports that the post is not shown in the feed of its account.
	OffFeed bool `json:"off_feed,omitempty"`
	// Comments that the account wrote under the post through the API, oldest first.
	Comments []Comment `json:"comments,omitempty"`
	// Files describes the photos of a set.
	Files []LandedFile `json:"photos,omitempty"`

	// File of a video, Photos of a set.
	File   *File   `json:"-"`
	Photos []*File `json:"-"`
}

// Comment is a comment of an account under its own post.
type Comment struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	At   time.Time `json:"time"`
}

// LandedFile describes one photo of a set.
type LandedFile struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	URL    string `json:"url"`
}

// Land records a new post, or the changed state of the post with the same ID. l.Account may be a name, ID or username.
func (s *Sandbox) Land(l Landing) error {
	if err := l.measure(); err != nil {
		return err
	}
	if a, ok := s.AccountByName(l.Platform, l.Account); ok {
		l.Account, l.AccountID, l.Username = a.Name, a.ID, a.Username
	}
	l.Mode = "draft"
	if l.Visibility == Public {
		l.Mode = "direct"
	}
	if l.At.IsZero() {
		l.At = s.Now()
	}
	l.At = l.At.UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(&l)
	if f, ok := s.platforms[l.Platform].(Follower); ok {
		f.Landed(l)
	}
	return s.write(entry{Landing: &l, FileOf: fileOf(l.File), PhotosOf: filesOf(l.Photos)})
}

func (s *Sandbox) put(l *Landing) {
	key := l.Platform + "/" + l.ID
	if old := s.byID[key]; old != nil {
		delete(s.byURL, old.place())
		*old = *l
		l = old
	} else {
		s.landings = append(s.landings, l)
		s.byID[key] = l
	}
	if p := l.place(); p != "" {
		s.byURL[p] = l
	}
}

func (l *Landing) place() string {
	u, err := url.Parse(l.URL)
	if err != nil || l.URL == "" {
		return ""
	}
	return place(u)
}

// measure fills in sizes and hashes.
func (l *Landing) measure() error {
	if l.File != nil && l.SHA256 == "" {
		sum, err := l.File.SHA256()
		if err != nil {
			return err
		}
		l.Bytes, l.SHA256 = l.File.Size(), sum
	}
	if len(l.Photos) == 0 || l.SHA256 != "" {
		return nil
	}
	all := sha256.New()
	l.Bytes, l.Files = 0, nil
	for _, p := range l.Photos {
		sum, err := p.SHA256()
		if err != nil {
			return err
		}
		in, err := p.Open()
		if err != nil {
			return err
		}
		_, err = io.Copy(all, in)
		_ = in.Close()
		if err != nil {
			return err
		}
		l.Bytes += p.Size()
		l.Files = append(l.Files, LandedFile{Bytes: p.Size(), SHA256: sum, URL: p.URL()})
	}
	l.SHA256 = hex.EncodeToString(all.Sum(nil))
	return nil
}

// Landed returns the posts of a platform, or of all platforms when the name is empty, oldest first. Private posts are
// included.
func (s *Sandbox) Landed(platform string) []Landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Landing{}
	for _, l := range s.landings {
		if platform == "" || l.Platform == platform {
			out = append(out, *l)
		}
	}
	return out
}

// LandedByID returns one post of a platform.
func (s *Sandbox) LandedByID(platform, id string) (Landing, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[platform+"/"+id]; l != nil {
		return *l, true
	}
	return Landing{}, false
}

// Remove deletes a post, as its owner would.
func (s *Sandbox) Remove(platform, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(platform, id)
	if f, ok := s.platforms[platform].(Follower); ok {
		f.Gone(id)
	}
	return s.write(entry{Removed: platform + "/" + id})
}

func (s *Sandbox) drop(platform, id string) {
	old := s.byID[platform+"/"+id]
	if old == nil {
		return
	}
	delete(s.byID, platform+"/"+id)
	delete(s.byURL, old.place())
	for i, l := range s.landings {
		if l == old {
			s.landings = append(s.landings[:i], s.landings[i+1:]...)
			return
		}
	}
}

// Numbers are the engagement analytics of a post.
type Numbers struct {
	Views, Reach, Likes, Comments, Shares, Saves int64
	// Watched is the total watch time.
	Watched time.Duration
}

// Numbers returns the analytics of a post at a point in time. They grow with the age of the post, quickly at first, and
// are deterministic.
func (l *Landing) Numbers(now time.Time) Numbers {
	if l.Visibility != Public || now.Before(l.At) {
		return Numbers{}
	}
	seed := sha256.Sum256([]byte(l.Platform + l.ID))
	peak := 2000 + int64(seed[0])*40
	minutes := now.Sub(l.At).Minutes()
	views := int64(float64(peak) * minutes / (minutes + 120))
	likes := views * int64(4+seed[1]%9) / 100
	return Numbers{
		Views: views, Reach: views * 8 / 10, Likes: likes, Comments: likes / 12, Shares: likes / 9, Saves: likes / 6,
		Watched: time.Duration(views) * time.Duration(4+seed[2]%8) * time.Second,
	}
}
