#!/usr/bin/env bash
# Makes a release archive and a Debian package of what was built, in dist/: package.sh FOLDER, where FOLDER has the binary `clinch` and, unless Z3
# is linked in, its library.
set -euo pipefail
cd "$(dirname "$0")/.."

built=$1
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
name=clinch-$version-$machine-linux
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# The archive: a folder that runs from anywhere.
folder=$stage/$name
mkdir -p "$folder/man" "$folder/completions" "$folder/docs" "$folder/examples/c"
install -s -m 755 "$built/clinch" "$folder/clinch"
libraries=$(objdump -p "$built/clinch" | awk '$1 == "NEEDED" { print $2 }')
library=$(grep '^libz3' <<< "$libraries" || true)
if [ -n "$library" ]; then install -m 644 "$built/$library" "$folder/$library"; fi
"$folder/clinch" man "$folder/man"
for shell in bash zsh fish; do "$folder/clinch" completions "$shell" > "$folder/completions/clinch.$shell"; done
cp README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT "$folder"
cp docs/*.md docs/json-schema.json "$folder/docs"
cp examples/c/*.c "$folder/examples/c"
mkdir -p dist
tar --owner=0 --group=0 --sort=name -C "$stage" -czf "dist/$name.tar.gz" "$name"
echo "dist/$name.tar.gz"

# The Debian package: the same, where Debian has such things. The library is clinch's own, so it stays beside the binary.
case $machine in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; *) architecture=$machine ;; esac
root=$stage/debian
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib/clinch" "$root/usr/share/man/man1" "$root/usr/share/doc/clinch" \
    "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
cp "$folder"/clinch "$root/usr/lib/clinch/"
if [ -n "$library" ]; then cp "$folder/$library" "$root/usr/lib/clinch/"; fi
ln -s ../lib/clinch/clinch "$root/usr/bin/clinch"
for page in "$folder"/man/*.1; do gzip -9 -n -c "$page" > "$root/usr/share/man/man1/$(basename "$page").gz"; done
cp "$folder/completions/clinch.bash" "$root/usr/share/bash-completion/completions/clinch"
cp "$folder/completions/clinch.zsh" "$root/usr/share/zsh/vendor-completions/_clinch"
cp "$folder/completions/clinch.fish" "$root/usr/share/fish/vendor_completions.d/clinch.fish"
cp -r README.md "$folder/docs" examples "$root/usr/share/doc/clinch/"
cat LICENSE LICENSE-MIT LICENSE-APACHE > "$root/usr/share/doc/clinch/copyright"
# The newest symbols that are asked for say which C library is needed.
newest() { objdump -T "$root"/usr/lib/clinch/* | grep -o "$1_[0-9.]*[0-9]" | sort -uV | tail -n 1 | cut -d_ -f2; }
needs="libc6 (>= $(newest GLIBC)), libgcc-s1"
if grep -q '^libstdc++' <<< "$libraries" || [ -n "$library" ]; then needs="$needs, libstdc++6"; fi
cat > "$root/DEBIAN/control" <<CONTROL
Package: clinch
Version: $version
Architecture: $architecture
Maintainer: The clinch developers <clinch@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $needs, gcc | c-compiler
Recommends: libc6-dev, gcc-multilib
Section: devel
Priority: optional
Description: software model checker with checked evidence
 Decides whether an error in a program can be reached: C without annotations,
 Horn clauses, and several languages of models. Every answer comes with a proof
 that something else re-checked, or with a run that really ends in the error.
CONTROL
dpkg-deb --root-owner-group --build -Zxz "$root" "dist/clinch_${version}_$architecture.deb" > /dev/null
echo "dist/clinch_${version}_$architecture.deb"
