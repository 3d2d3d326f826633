// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Account is one that a person may connect.
type Account struct {
	// Name picks it on the page that asks for approval: maya, studio, acme.
	Name string `json:"name"`
	// ID as the platform writes it.
	ID string `json:"id"`
	// Display name, and Username without @.
	Display  string `json:"display_name"`
	Username string `json:"username"`
	// Type in the platform's own words.
	Type string `json:"type"`
	// Owner is the account that acts for this one, for pages; else empty.
	Owner string `json:"owner,omitempty"`
	// Avatar is the address of its picture.
	Avatar string `json:"avatar_url"`
}

var people = []struct{ name, display, username string }{
	{"maya", "Maya's Kitchen", "mayas.kitchen"},
	{"studio", "Studio North", "studio.north"},
	{"acme", "Acme Bikes", "acmebikes"},
}

// roll is who is on a platform, made once.
type roll struct {
	list []Account
	by   map[string]int // name, id and username -> place in the list
}

// roll of a platform. The lock is held.
func (s *Sandbox) roll(platform string) *roll {
	if r := s.rolls[platform]; r != nil {
		return r
	}
	r := &roll{by: map[string]int{}}
	add := func(name, display, username string) {
		a := Account{Name: name, ID: accountID(platform, name), Display: display, Username: username, Type: accountType(platform, name)}
		if platform == "linkedin" && name == "acme" {
			a.Owner = "maya"
		}
		for _, key := range []string{a.Username, a.ID, a.Name} {
			r.by[key] = len(r.list)
		}
		r.list = append(r.list, a)
	}
	for _, p := range people {
		add(p.name, p.display, p.username)
	}
	for i := range s.cfg.Extra {
		add(fmt.Sprintf("account-%04d", i+1), fmt.Sprintf("Account %d", i+1), fmt.Sprintf("account%04d", i+1))
	}
	s.rolls[platform] = r
	return r
}

// pictured is an account with the address of its picture. The lock is held.
func (s *Sandbox) pictured(platform string, a Account) Account {
	a.Avatar = s.base + "/avatars/" + platform + "/" + a.Name + ".svg"
	return a
}

// Accounts of a platform, always the same. On LinkedIn acme is a page that maya administers.
func (s *Sandbox) Accounts(platform string) []Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.roll(platform)
	out := make([]Account, len(r.list))
	for i, a := range r.list {
		out[i] = s.pictured(platform, a)
	}
	return out
}

// AccountByName finds an account of a platform by its name, its id or its username.
func (s *Sandbox) AccountByName(platform, name string) (Account, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.roll(platform)
	i, ok := r.by[name]
	if !ok {
		return Account{}, false
	}
	return s.pictured(platform, r.list[i]), true
}

func accountType(platform, name string) string {
	switch platform {
	case "linkedin":
		if name == "acme" {
			return "page"
		}
		return "person"
	case "instagram":
		if name == "maya" {
			return "MEDIA_CREATOR"
		}
		return "BUSINESS"
	case "youtube":
		return "channel"
	default:
		return "creator"
	}
}

// accountID is made from the name, in the platform's shape.
func accountID(platform, name string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(platform + "/" + name))
	n := h.Sum64()
	letters := strings.ToUpper(fmt.Sprintf("%016x", n))
	switch platform {
	case "tiktok":
		return "-000" + strings.ToLower(letters) + "sandbox"
	case "youtube":
		return "UC" + letters + "sandbo"
	case "instagram":
		return fmt.Sprintf("17841%012d", n%1_000_000_000_000)
	case "linkedin":
		if name == "acme" {
			return fmt.Sprintf("urn:li:organization:%08d", 10_000_000+n%90_000_000)
		}
		return "urn:li:person:" + letters[:10]
	default:
		return letters
	}
}
