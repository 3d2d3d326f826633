// SPDX-License-Identifier: Apache-2.0

// Package recipe defines the content of each image: which program, and which files of which Debian packages. It is the
// only such list; a test compares the Dockerfile with it.
package recipe

// Image is one image.
type Image struct {
	// Name is the last part of the image name.
	Name string
	// About is a one-sentence description.
	About string
	// Programs are the Go programs of the image.
	Programs []Program
	// Folders are folders of the repository, relative to its root, which the image has below Shared.
	Folders []string
	// Parts are layers of files from Debian packages, ordered by how often they change.
	Parts []Part
	// Entrypoint is the path of the program in the image, with arguments; empty means the path of the first program.
	Entrypoint []string
	Env        []string
	// Root images start as root, because their programs start others as further users.
	Root bool
	// Ports are the TCP ports on which the programs listen for clients. Volume is the folder with all state.
	Ports  []int
	Volume string
	// Licenses is an SPDX expression for the whole image.
	Licenses string
	// Test images are used by tests only and are not published.
	Test bool
}

// Shared is the folder of Folders in an image.
const Shared = "/usr/share/reelops"

// Program is a Go program.
type Program struct {
	// Module is the folder of the module, relative to the root of the repository. Package is its path in the module, or
	// its import path.
	Module, Package string
	Tags            string
	// Links are further names of the program in the image.
	Links []string
	// Script, relative to the root of the repository, builds the program with the go command and writes it to the path
	// of its only argument; empty means go build.
	Script string
	// Shared is the path, relative to the root of the repository, of a program that tests build as well, with the
	// machine's C library. It is used if it exists, and built there otherwise. The image needs a Part that is Linked.
	Shared string
}

// Part is a layer of files from Debian packages.
type Part struct {
	// Name is the name of the layer.
	Name string
	// Packages are the requested packages. Their dependencies are only searched for libraries.
	Packages []string
	// Files are patterns of the files to include. A pattern that ends in / matches all files below it. $LIB is the
	// library folder of the architecture.
	Files []string
	// Except are patterns of base names to leave out, and folders to leave out, which end in /.
	Except []string
	// Programs are included with the shared libraries that they are linked with. Libraries are additional libraries
	// that a program opens at run time.
	Programs, Libraries []string
	// Certificates creates the bundle of certificate authorities from the ca-certificates package.
	Certificates bool
	// Linked includes the libraries of the image's first program.
	Linked bool
	// Small are names of programs. If the folder of small programs exists, they are used instead of Programs.
	Small []string
	// SmallPackages then replace Packages. SmallFrom are packages whose source was built into the small programs: only
	// their licences and their dpkg status for scanners are included.
	SmallPackages, SmallFrom []string
}

// system has the files that a Go program expects of a system: certificates and time zones.
var system = Part{
	Name:     "system",
	Packages: []string{"ca-certificates", "tzdata"},
	Files:    []string{"/usr/share/zoneinfo/"}, Except: []string{"*.tab", "*.zi", "*.list", "leapseconds", "posixrules", "localtime", "/usr/share/zoneinfo/posix/", "/usr/share/zoneinfo/right/"},
	Certificates: true,
}

// fonts has the fonts of texts (see internal/content/overlay).
var fonts = Part{
	Name: "fonts",
	Packages: []string{
		"fonts-inter", "fonts-manrope", "fonts-league-spartan", "fonts-bebas-neue", "fonts-ebgaramond", "fonts-roboto-slab", "fonts-quicksand",
		"fonts-lobstertwo", "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji",
	},
	Files: []string{"/usr/share/fonts/"},
	// Italic faces are never used.
	Except: []string{"*Italic*"},
}

var wordnet = Part{Name: "wordnet", Packages: []string{"wordnet-base"}, Files: []string{"/usr/share/wordnet/"}}

// smallFrom lists the packages that hack/ffmpeg builds into its programs. gcc-12-base has the licence of the C++
// library in them.
var smallFrom = []string{"ffmpeg", "libx264-164", "libvpx7", "libzimg2", "zlib1g", "gcc-12-base"}

// film has the programs that read and write videos; speech has the programs that speak texts.
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

// Tags are the build tags of our programs. The Makefile describes them.
const Tags = "nodynamic,grpcnotrace,disable_grpc_modules"

func ours(name string) Program {
	return Program{Module: ".", Package: "./cmd/" + name, Tags: Tags}
}

// localkube has the version of Kubernetes from its script.
var localkube = Program{
	Module: "hack/localkube", Package: "github.com/reelops/reelops/hack/localkube", Script: "hack/localkube/build.sh",
	Links: []string{"kubectl"},
}

// Images lists all images.
var Images = []Image{
	{
		Name: "manager", About: "Reelops: the controllers", Programs: []Program{ours("manager")}, Parts: []Part{system, fonts},
		Licenses: "Apache-2.0 AND OFL-1.1",
	},
	{
		Name: "apiserver", About: "Reelops: the front end for REST and tools", Programs: []Program{ours("apiserver")}, Parts: []Part{system, fonts, wordnet},
		Licenses: "Apache-2.0 AND OFL-1.1",
	},
	{
		Name: "renderer", About: "Reelops: renders one video and ends", Programs: []Program{ours("renderer")}, Parts: []Part{system, film, speech},
		Licenses: "Apache-2.0 AND GPL-3.0-or-later",
	},
	{
		Name: "sandbox", About: "Reelops: stands in for the social platforms, to try things with", Programs: []Program{ours("sandbox")}, Parts: []Part{system, probe},
		Licenses: "Apache-2.0 AND GPL-2.0-or-later",
	},
	{
		Name: "cli", About: "Reelops: the command line program", Programs: []Program{ours("reelops")}, Parts: []Part{system},
		Licenses: "Apache-2.0",
	},
	{
		Name: "standalone", About: "Reelops: all of it in one container, with a local Kubernetes and the sandbox", Root: true,
		Programs: []Program{
			{Module: "hack", Package: "./standalone", Tags: Tags},
			{Module: "hack", Package: "./run", Tags: Tags},
			localkube,
			ours("manager"), ours("apiserver"), ours("renderer"), ours("sandbox"), ours("reelops"),
		},
		Parts:   []Part{system, fonts, wordnet, film, speech},
		Folders: []string{"config/local", "config/crd", "config/rbac", "config/policy"},
		Env:     []string{"REELOPS_URL=http://localhost:8080", "KUBECONFIG=/data/kubeconfig"},
		Ports:   []int{8080, 8300}, Volume: "/data", Licenses: "Apache-2.0 AND OFL-1.1 AND GPL-3.0-or-later",
	},
	{Name: "pause", About: "holds a pod's namespaces", Programs: []Program{{Module: "hack/images", Package: "./pause"}}, Licenses: "Apache-2.0", Test: true},
	{Name: "toolbox", About: "small probes of a network", Programs: []Program{{Module: "hack/images", Package: "./toolbox"}}, Licenses: "Apache-2.0", Test: true},
	{
		Name: "redis", About: "Debian's Redis", Entrypoint: []string{"/usr/bin/redis-server"}, Licenses: "BSD-3-Clause", Test: true,
		Parts: []Part{{Name: "redis", Packages: []string{"redis-server"}, Programs: []string{"/usr/bin/redis-server", "/usr/bin/redis-cli"}}},
	},
	{
		Name: "minio", About: "an S3 server", Programs: []Program{{Module: "hack/tools/minio", Package: "github.com/minio/minio", Shared: "bin/minio"}},
		Licenses: "AGPL-3.0-or-later", Test: true,
		Parts: []Part{system, {Name: "libc", Packages: []string{"libc6"}, Linked: true}},
	},
}
