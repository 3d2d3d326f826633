// SPDX-License-Identifier: Apache-2.0

package catalog

// PlatformName returns the display name of a platform, or the argument if the platform is unknown.
func PlatformName(platform string) string {
	switch platform {
	case TikTok:
		return "TikTok"
	case YouTube:
		return "YouTube"
	case Instagram:
		return "Instagram"
	case LinkedIn:
		return "LinkedIn"
	}
	return platform
}
