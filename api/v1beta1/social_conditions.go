// SPDX-License-Identifier: Apache-2.0

package v1beta1

// ConditionConnected is true while a platform accepts the permission that a person gave for a SocialAccount.
const ConditionConnected ConditionType = "Connected"

// Reasons of SocialAccount and ConnectionRequest.
const (
	// ReasonConnected surfaces while the permission is good and needs nobody.
	ReasonConnected Reason = "Connected"
	// ReasonConnectAgainSoon surfaces when the permission is good, ends within three days, and only a person can renew it.
	ReasonConnectAgainSoon Reason = "ConnectAgainSoon"
	// ReasonTokenExpired surfaces when the permission has ended, or its tokens are gone: a person has to connect again.
	ReasonTokenExpired Reason = "TokenExpired"
	// ReasonTokenRevoked surfaces when the permission was taken back on the platform: a person has to connect again.
	ReasonTokenRevoked Reason = "TokenRevoked"
	// ReasonScopeMissing surfaces when a person did not give all that publishing needs: a person has to connect again.
	ReasonScopeMissing Reason = "ScopeMissing"
	// ReasonNotConfigured surfaces when the installation has no app on the platform, or the platform does not accept it.
	ReasonNotConfigured Reason = "NotConfigured"
	// ReasonTokenKeyMissing surfaces when the tokens were sealed with a key that the manager is not given.
	ReasonTokenKeyMissing Reason = "TokenKeyMissing"
)
