// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Account is an account that a user can connect.
type Account struct {
	// Name selects the account on the consent page: maya, studio, acme.
	Name string `json:"name"`
	// ID in the platform's format.
	ID string `json:"id"`
	// Display is the display name. Username has no @.
	Display  string `json:"display_name"`
	Username string `json:"username"`
	// Type is the account type as the platform names it.
	Type string `json:"type"`
	// Owner is the account that administers this page. Empty for accounts that are not pages.
	Owner string `json:"owner,omitempty"`
	// Avatar is the URL of the profile picture.
	Avatar string `json:"avatar_url"`
}

var people = []struct{ name, display, username string }{
	{"maya", "Maya's Kitchen", "mayas.kitchen"},
	{"studio", "Studio North", "studio.north"},
	{"acme", "Acme Bikes", "acmebikes"},
}

// accountList holds the accounts of one platform. The sandbox builds it once.
type accountList struct {
	list []Account
	by   map[string]int // name, ID and username -> index in list
}

// accountList returns the accounts of a platform. The caller holds the lock.
func (s *Sandbox) accountList(platform string) *accountList {
	if r := s.accountLists[platform]; r != nil {
		return r
	}
	r := &accountList{by: map[string]int{}}
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
	s.accountLists[platform] = r
	return r
}

// pictured returns the account with Avatar set. The caller holds the lock.
func (s *Sandbox) pictured(platform string, a Account) Account {
	a.Avatar = s.base + "/avatars/" + platform + "/" + a.Name + ".svg"
	return a
}

// Accounts returns the accounts of a platform, always in the same order. On LinkedIn, acme is a page that maya
// administers.
func (s *Sandbox) Accounts(platform string) []Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.accountList(platform)
	out := make([]Account, len(r.list))
	for i, a := range r.list {
		out[i] = s.pictured(platform, a)
	}
	return out
}

// AccountByName returns the account of a platform with the given name, ID or username.
func (s *Sandbox) AccountByName(platform, name string) (Account, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.accountList(platform)
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

// accountID derives an ID in the platform's format from the name.
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
