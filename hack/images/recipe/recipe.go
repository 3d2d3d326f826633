// SPDX-License-Identifier: Apache-2.0

// Package recipe says what is in each image: which program, and which files of which Debian packages. It is the one list; the
// Dockerfile is held against it.
package recipe

// Image is one image.
type Image struct {
	// Name is the last part of its name.
	Name string
	// About says in a sentence what it is.
	About string
	// Program is what it runs.
	Program Program
	// Parts are layers of files from Debian packages, in the order in which they change.
	Parts []Part
	// Entrypoint is the program's path in the image, with arguments; empty means the program's.
	Entrypoint []string
	Env        []string
	// Licenses is an SPDX expression for the whole.
	Licenses string
	// Test images are for trying and are not published.
	Test bool
}

// Program is a Go program, or none.
type Program struct {
	// Module is the folder of its module from the root of the repository, and Package its path from there or its import path.
	Module, Package string
	Tags            string
	// Shared is the path from the root of the repository of a program that tests build as well, with the machine's C library. It
	// is taken when it is there and built there otherwise. The image needs a Part that is Linked.
	Shared string
}

// Part is files of Debian packages.
type Part struct {
	// Name of the layer.
	Name string
	// Packages are those asked for; what they depend on is looked into for libraries only.
	Packages []string
	// Files are patterns of files to take: a pattern that ends in / takes all beneath. $LIB is the architecture's folder of libraries.
	Files []string
	// Except are patterns of base names that are not taken, and folders, which end in /.
	Except []string
	// Programs are taken with the shared libraries that they need. Libraries are needed besides these by a program that opens
	// them while it runs.
	Programs, Libraries []string
	// Certificates makes the bundle of trusted authorities from the ca-certificates package.
	Certificates bool
	// Linked takes the libraries of the image's program.
	Linked bool
	// Small takes programs of these names from the folder of small programs, when they were built, instead of those in Programs.
	Small []string
	// SmallPackages are asked for instead of Packages then, and SmallFrom are packages of what was built into them: of these only the
	// licence is taken, and the word for scanners that they are there.
	SmallPackages, SmallFrom []string
}

// Certificates and time zones are what a Go program looks for in a system.
var system = Part{
	Name:     "system",
	Packages: []string{"ca-certificates", "tzdata"},
	Files:    []string{"/usr/share/zoneinfo/"}, Except: []string{"*.tab", "*.zi", "*.list", "leapseconds", "posixrules", "localtime", "/usr/share/zoneinfo/posix/", "/usr/share/zoneinfo/right/"},
	Certificates: true,
}

// fonts are what text is set in (see internal/content/overlay).
var fonts = Part{
	Name: "fonts",
	Packages: []string{
		"fonts-inter", "fonts-manrope", "fonts-league-spartan", "fonts-bebas-neue", "fonts-ebgaramond", "fonts-roboto-slab", "fonts-quicksand",
		"fonts-lobstertwo", "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji",
	},
	Files: []string{"/usr/share/fonts/"},
	// Slanted faces are never used.
	Except: []string{"*Italic*"},
}

var wordnet = Part{Name: "wordnet", Packages: []string{"wordnet-base"}, Files: []string{"/usr/share/wordnet/"}}

// smallFrom is what hack/ffmpeg builds into its programs; gcc-12-base has the licence of the C++ library in them.
var smallFrom = []string{"ffmpeg", "libx264-164", "libvpx7", "libzimg2", "zlib1g", "gcc-12-base"}

// film reads and writes films, and speech says texts.
var film = Part{
	Name: "film", Packages: []string{"ffmpeg", "libgcc-s1"}, Programs: []string{"/usr/bin/ffmpeg", "/usr/bin/ffprobe"}, Libraries: []string{"libgcc_s.so.1"},
	Small: []string{"ffmpeg", "ffprobe"}, SmallPackages: []string{"libc6", "libgcc-s1", "libdav1d6"}, SmallFrom: smallFrom,
}

var speech = Part{
	Name: "speech", Packages: []string{"flite", "espeak-ng"}, Programs: []string{"/usr/bin/flite", "/usr/bin/espeak-ng"},
	Files: []string{"$LIB/espeak-ng-data/"},
}

var probe = Part{
	Name: "probe", Packages: []string{"ffmpeg"}, Programs: []string{"/usr/bin/ffprobe"},
	Small: []string{"ffprobe"}, SmallPackages: []string{"libc6", "libdav1d6"}, SmallFrom: smallFrom,
}

func ours(name string) Program {
	return Program{Module: ".", Package: "./cmd/" + name, Tags: "nodynamic"}
}

// Images are all that are made.
var Images = []Image{
	{
		Name: "manager", About: "Reelops: the controllers", Program: ours("manager"), Parts: []Part{system, fonts},
		Licenses: "Apache-2.0 AND OFL-1.1",
	},
	{
		Name: "apiserver", About: "Reelops: the front end for REST and tools", Program: ours("apiserver"), Parts: []Part{system, wordnet},
		Licenses: "Apache-2.0",
	},
	{
		Name: "renderer", About: "Reelops: renders one video and ends", Program: ours("renderer"), Parts: []Part{system, film, speech},
		Licenses: "Apache-2.0 AND GPL-3.0-or-later",
	},
	{
		Name: "sandbox", About: "Reelops: stands in for the social platforms, to try things with", Program: ours("sandbox"), Parts: []Part{system, probe},
		Licenses: "Apache-2.0 AND GPL-2.0-or-later",
	},
	{
		Name: "cli", About: "Reelops: the command line program", Program: ours("reelops"), Parts: []Part{system},
		Licenses: "Apache-2.0",
	},
	{Name: "pause", About: "holds a pod's namespaces", Program: Program{Module: "hack/images", Package: "./pause"}, Licenses: "Apache-2.0", Test: true},
	{Name: "toolbox", About: "small probes of a network", Program: Program{Module: "hack/images", Package: "./toolbox"}, Licenses: "Apache-2.0", Test: true},
	{
		Name: "redis", About: "Debian's Redis", Entrypoint: []string{"/usr/bin/redis-server"}, Licenses: "BSD-3-Clause", Test: true,
		Parts: []Part{{Name: "redis", Packages: []string{"redis-server"}, Programs: []string{"/usr/bin/redis-server", "/usr/bin/redis-cli"}}},
	},
	{
		Name: "minio", About: "an S3 server", Program: Program{Module: "hack/tools/minio", Package: "github.com/minio/minio", Shared: "bin/minio"},
		Licenses: "AGPL-3.0-or-later", Test: true,
		Parts: []Part{system, {Name: "libc", Packages: []string{"libc6"}, Linked: true}},
	},
}
