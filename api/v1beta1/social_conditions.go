// SPDX-License-Identifier: Apache-2.0

package v1beta1

// ConditionConnected is true while the platform accepts the permission that a user granted for a SocialAccount.
const ConditionConnected ConditionType = "Connected"

// Reasons of SocialAccount and ConnectionRequest.
const (
	// ReasonConnected means that the permission is valid and needs no action by a user.
	ReasonConnected Reason = "Connected"
	// ReasonConnectAgainSoon means that the permission is valid, expires within three days, and can be renewed only by a
	// user.
	ReasonConnectAgainSoon Reason = "ConnectAgainSoon"
	// ReasonTokenExpired means that the permission has expired or its tokens are missing. A user has to reconnect the
	// account.
	ReasonTokenExpired Reason = "TokenExpired"
	// ReasonTokenRevoked means that the permission was revoked on the platform. A user has to reconnect the account.
	ReasonTokenRevoked Reason = "TokenRevoked"
	// ReasonScopeMissing means that the user did not grant all scopes that publishing needs. A user has to reconnect the
	// account.
	ReasonScopeMissing Reason = "ScopeMissing"
	// ReasonNotConfigured means that the installation has no app on the platform, or that the platform rejects the app.
	ReasonNotConfigured Reason = "NotConfigured"
	// ReasonTokenKeyMissing means that the tokens are encrypted with a key that the manager does not have.
	ReasonTokenKeyMissing Reason = "TokenKeyMissing"
)
