// SPDX-License-Identifier: Apache-2.0

// Package sbom describes the content of an image as SPDX 2.3: the program with its Go modules, read from the program
// itself, and the Debian packages whose files are in the image or whose source was built into it.
package sbom

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/reelops/reelops/hack/images/assemble"
	"github.com/reelops/reelops/hack/images/deb"
	"github.com/reelops/reelops/hack/images/gobuild"
)

const unknown = "NOASSERTION"

// Of returns the SBOM of an image with the given name and tag. The same image gives the same document.
func Of(image *assemble.Image, name string, when time.Time) (*spdx.Document, error) {
	digest, err := image.Digest()
	if err != nil {
		return nil, err
	}
	_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	d := &document{Document: &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: name, DocumentNamespace: assemble.Source + "/sbom/" + image.Recipe.Name + "/" + digest.Hex,
		CreationInfo: &spdx.CreationInfo{
			Created: when.UTC().Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: "reelops-images"}},
		},
	}}
	root := d.add("DOCUMENT", common.TypeRelationshipDescribe, &spdx.Package{
		PackageSPDXIdentifier: "Image", PackageName: name[:len(name)-len(tag)-1], PackageVersion: tag,
		PrimaryPackagePurpose: "CONTAINER", PackageChecksums: []common.Checksum{{Algorithm: common.SHA256, Value: digest.Hex}},
		PackageLicenseDeclared: image.Recipe.Licenses, PackageSummary: image.Recipe.About,
	})
	program := root
	ids := map[common.ElementID]bool{}
	for _, m := range image.Modules {
		p, err := module(m, tag)
		if err != nil {
			return nil, err
		}
		if ids[p.PackageSPDXIdentifier] { // another program has another version
			p.PackageSPDXIdentifier = id("Go", m.Path+"@"+m.Version)
		}
		ids[p.PackageSPDXIdentifier] = true
		if m.Main {
			program = d.add(root, common.TypeRelationshipContains, p)
			continue
		}
		d.add(program, common.TypeRelationshipDependsOn, p)
	}
	seen := map[string]bool{}
	for _, c := range image.Packages {
		if seen[c.Name] {
			continue // the package has files in two layers
		}
		seen[c.Name] = true
		relation := common.TypeRelationshipContains
		if c.BuiltIn {
			relation = common.TypeRelationshipGeneratedFrom
		}
		d.add(root, relation, debian(c))
	}
	return d.Document, nil
}

type document struct{ *spdx.Document }

// add adds a package in a relation to another element, and returns its identifier.
func (d *document) add(to common.ElementID, relation string, p *spdx.Package) common.ElementID {
	if p.PackageDownloadLocation == "" {
		p.PackageDownloadLocation = unknown
	}
	if p.PackageLicenseDeclared == "" {
		p.PackageLicenseDeclared = unknown
	}
	p.PackageLicenseConcluded, p.PackageCopyrightText, p.IsFilesAnalyzedTagPresent = unknown, unknown, true
	d.Packages = append(d.Packages, p)
	d.Relationships = append(d.Relationships, &spdx.Relationship{
		RefA: common.MakeDocElementID("", string(to)), RefB: common.MakeDocElementID("", string(p.PackageSPDXIdentifier)), Relationship: relation,
	})
	return p.PackageSPDXIdentifier
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func id(kind, name string) common.ElementID {
	return common.ElementID(kind + "-" + notInID.ReplaceAllString(name, "-"))
}

func reference(purl string) []*spdx.PackageExternalReference {
	return []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: purl}}
}

func module(m gobuild.Module, tag string) (*spdx.Package, error) {
	version := m.Version
	if m.Main && (version == "" || version == "(devel)") {
		version = tag
	}
	p := &spdx.Package{
		PackageSPDXIdentifier: id("Go", m.Path), PackageName: m.Path, PackageVersion: version, PrimaryPackagePurpose: "LIBRARY",
		PackageExternalReferences: reference("pkg:golang/" + m.Path + "@" + version),
	}
	var texts []string
	for _, f := range m.Licences {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(b))
	}
	p.PackageLicenseDeclared = licence(texts...)
	switch {
	case m.Main && m.Sum == "":
		p.PrimaryPackagePurpose, p.PackageLicenseDeclared = "APPLICATION", "Apache-2.0"
	case m.Path == gobuild.Standard:
		p.PackageDownloadLocation = "https://go.dev/dl/go" + version + ".src.tar.gz"
	default:
		p.PackageSourceInfo = "go.sum: " + m.Sum
	}
	return p, nil
}

func debian(c assemble.Content) *spdx.Package {
	query := url.Values{"arch": {c.Architecture}, "distro": {deb.Suite}}
	if c.Source != c.Name {
		query.Set("upstream", c.Source)
	}
	p := &spdx.Package{
		PackageSPDXIdentifier: id("Deb", c.Name), PackageName: c.Name, PackageVersion: c.Version,
		PackageSupplier: &common.Supplier{SupplierType: "Person", Supplier: c.Maintainer}, PackageHomePage: c.Homepage,
		PackageChecksums:          []common.Checksum{{Algorithm: common.SHA256, Value: c.SHA256}},
		PackageSourceInfo:         fmt.Sprintf("built from Debian's source package %s %s", c.Source, c.SourceVersion),
		PackageLicenseComments:    "see " + c.Copyright + " in the image",
		PackageExternalReferences: reference("pkg:deb/debian/" + url.PathEscape(c.Name) + "@" + url.QueryEscape(c.Version) + "?" + query.Encode()),
	}
	if c.BuiltIn {
		p.PackageComment = "Programs of the image were built from the source of this package. The image has only the licence of the package itself."
	}
	return p
}
