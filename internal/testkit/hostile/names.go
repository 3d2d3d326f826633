// SPDX-License-Identifier: Apache-2.0

package hostile

import "strings"

// FileNames are names that a caller may declare for a valid image. The file must be refused cleanly, or accepted with a
// clean title.
var FileNames = []string{
	"../../../../etc/passwd.jpg",
	`..\..\windows\system32\evil.jpg`,
	"/etc/shadow",
	"....//....//picture.jpg",
	"%2e%2e%2f%2e%2e%2fpicture.jpg",
	"picture\x00.jpg",
	"picture.jpg\x00.exe",
	"two\nlines\r\nSet-Cookie: a=b.jpg",
	"tab\tbell\a escape\x1b[31mred.jpg",
	"line\u2028paragraph\u2029.jpg",
	strings.Repeat("long", 70) + ".jpg",
	strings.Repeat("🦊", 300) + ".jpg",
	strings.Repeat("a", 5000),
	"gpj.\u202eexe.picture\u202c.jpg",
	"zero\u200bwidth\ufeff.jpg",
	"CON", "nul.jpg", "COM1.png", "aux",
	".", "..", ".jpg", "...", " ", "-rf",
	"; rm -rf / ;.jpg",
	"$(touch pwned).jpg",
	"`id`.jpg",
	"a'b\"c<script>alert(1)</script>.jpg",
	"{{.Secret}}${PATH}%s%n.jpg",
	"file:///etc/passwd",
	"http://127.0.0.1/picture.jpg",
	"concat:a.jpg|b.jpg",
	"\xff\xfe not UTF-8.jpg",
	"cafe\u0301 ☕ مرحبا 日本語.jpg",
}
