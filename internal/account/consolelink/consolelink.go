// SPDX-License-Identifier: Apache-2.0

// Package consolelink creates the one-time links of the console. The kubectl plugin creates the object of a link as its
// user, and the front end deletes it when the link is opened.
package consolelink

import (
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// Prefix is the prefix of tokens. They have the shape of API keys, so that a damaged one is noticed without a look-up.
const Prefix = "link_"

// New returns the object of a new link for a user, and the token of the link. now is the time of the API server.
func New(account string, user authenticationv1.UserInfo, now time.Time) (l *v1beta1.ConsoleLink, token string) {
	token, hash, _ := apikey.New(Prefix)
	const shown = 20 // digits of the hash in the name
	return &v1beta1.ConsoleLink{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "link-" + hash[:shown]},
		Spec: v1beta1.ConsoleLinkSpec{
			TokenSHA256: hash, Username: user.Username, Groups: user.Groups,
			ExpiresAt: metav1.NewTime(now.Add(v1beta1.ConsoleLinkTime)),
		},
	}, token
}

// URL returns the address of a link. The token is in the fragment, which browsers do not send: no log and no preview of
// a link has it.
func URL(base, token string) string { return strings.TrimRight(base, "/") + "/console/link#" + token }
