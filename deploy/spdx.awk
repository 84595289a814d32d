# Turns the output of go version -m into a bill of materials, SPDX 2.3 as tags and values. version, created and commit are given.

function package(name, at, purl, license) {
	n++
	printf "\nPackageName: %s\nSPDXID: SPDXRef-%d\nPackageVersion: %s\nPackageDownloadLocation: NOASSERTION\n", name, n, at
	printf "FilesAnalyzed: false\nPackageLicenseConcluded: %s\nPackageLicenseDeclared: %s\n", license, license
	printf "PackageCopyrightText: NOASSERTION\nExternalRef: PACKAGE-MANAGER purl %s\n", purl
	if (n > 1)
		printf "Relationship: SPDXRef-1 DEPENDS_ON SPDXRef-%d\n", n
}

NR == 1 { go = $NF; sub(/^go/, "", go) }

$1 == "mod" {
	printf "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: tengen-%s\n", version
	printf "DocumentNamespace: https://spdx.org/spdxdocs/tengen-%s-%s\n", version, commit
	printf "Creator: Tool: deploy/release\nCreated: %s\n", created
	printf "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-1\n"
	package("tengen", version, "pkg:golang/" $2 "@" version, "MIT")
	package("go standard library", go, "pkg:golang/stdlib@" go, "BSD-3-Clause")
}

# The licence of each module: tengen version --licenses.
$1 == "dep" { package($2, $3, "pkg:golang/" $2 "@" $3, "NOASSERTION") }
