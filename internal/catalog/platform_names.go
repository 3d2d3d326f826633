// SPDX-License-Identifier: Apache-2.0

package catalog

// PlatformName is how a platform calls itself; an unknown one is called as it is.
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
