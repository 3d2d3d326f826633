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

// Accounts of a platform, always the same. On LinkedIn acme is a page that maya administers.
func (s *Sandbox) Accounts(platform string) []Account {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	var out []Account
	add := func(name, display, username string) {
		a := Account{
			Name: name, ID: accountID(platform, name), Display: display, Username: username, Type: accountType(platform, name),
			Avatar: base + "/avatars/" + platform + "/" + name + ".svg",
		}
		if platform == "linkedin" && name == "acme" {
			a.Owner = "maya"
		}
		out = append(out, a)
	}
	for _, p := range people {
		add(p.name, p.display, p.username)
	}
	for i := range s.cfg.Extra {
		add(fmt.Sprintf("account-%04d", i+1), fmt.Sprintf("Account %d", i+1), fmt.Sprintf("account%04d", i+1))
	}
	return out
}

// AccountByName finds an account of a platform by its name, its id or its username.
func (s *Sandbox) AccountByName(platform, name string) (Account, bool) {
	for _, a := range s.Accounts(platform) {
		if a.Name == name || a.ID == name || a.Username == name {
			return a, true
		}
	}
	return Account{}, false
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
