// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"time"
)

// Where a post came to lie.
const (
	Public  = "public"
	Inbox   = "inbox"
	Private = "private"
)

// Landing is a post as a platform has it.
type Landing struct {
	Platform string `json:"platform"`
	// Account is the name, AccountID the platform's id, Username the handle. Land fills in the latter two.
	Account   string `json:"account"`
	AccountID string `json:"account_id"`
	Username  string `json:"username"`
	// Kind is video or photo_set.
	Kind string `json:"kind"`
	// Mode is direct for what is public, else draft. Land fills it in.
	Mode       string `json:"mode"`
	Visibility string `json:"visibility"`
	// Title and Caption as the platform understood them: escapes taken off.
	Title   string `json:"title"`
	Caption string `json:"caption"`
	// At is when it became what it is.
	At time.Time `json:"time"`
	// Bytes and SHA256 (hex) of the media; of all photos one after the other for a set. Land fills them in from File or Photos.
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// ID is the platform's own of the post, URL where people see it.
	ID  string `json:"platform_id"`
	URL string `json:"url"`
	// Elsewhere says that a person made it in the platform's own app: nobody uploaded anything.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Audience of a public post in the platform's word, when it is not everybody.
	Audience string `json:"audience,omitempty"`
	// Cover of a video that its author chose: a moment, as "1500 ms", or the SHA-256 (hex) of a picture.
	Cover string `json:"cover,omitempty"`
	// OffFeed reports that the post is not shown in the feed of its account.
	OffFeed bool `json:"off_feed,omitempty"`
	// Comments that the account wrote under the post through the API, oldest first.
	Comments []Comment `json:"comments,omitempty"`
	// Files are the photos of a set.
	Files []LandedFile `json:"photos,omitempty"`

	// File of a video, Photos of a set.
	File   *File   `json:"-"`
	Photos []*File `json:"-"`
}

// Comment of an account under its own post.
type Comment struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	At   time.Time `json:"time"`
}

// LandedFile is one photo of a set.
type LandedFile struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	URL    string `json:"url"`
}

// Land tells that a post is there, or with an ID that was told before, that it changed. The account is given by its name.
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

// measure fills in sizes and sums.
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

// Landed lists what a platform has, oldest first, private posts among it; all platforms when the name is empty.
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

// LandedByID finds one post of a platform.
func (s *Sandbox) LandedByID(platform, id string) (Landing, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[platform+"/"+id]; l != nil {
		return *l, true
	}
	return Landing{}, false
}

// Remove takes a post away, as its owner would.
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

// Numbers are what people did with a post.
type Numbers struct {
	Views, Reach, Likes, Comments, Shares, Saves int64
	// Watched is how long all of them watched.
	Watched time.Duration
}

// Numbers of a post: they grow with its age, quickly at first, and are the same whenever they are asked for the same moment.
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
