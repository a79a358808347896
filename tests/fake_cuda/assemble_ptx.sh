#!/bin/sh
# Assembles every PTX of a folder for cards from Turing on, or for the chips that are named:
# assemble_ptx.sh PTXAS FOLDER [CHIP...]; for Kepler, CUDA 11.8 or before: 35 37. Exit code 77: skipped.
ptxas=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- ${SONDE_TEST_THOROUGH:+75} 90 # Turing in CI
if [ ! -x "$ptxas" ]; then
    echo "skipped: no ptxas on the PATH when the build was configured"
    exit 77
fi
failed=0
count=0
for ptx in "$folder"/*.ptx; do
    target=$(sed -n 's/^\.target sm_\([0-9]*a*\).*/\1/p' "$ptx")
    for arch in "$@"; do
        case $target in
        *a) [ "$target" = "${arch}a" ] || continue; arch=$target ;; # what one chip alone has
        *) [ "$target" -le "$arch" ] || continue ;; # else PTX for a newer card
        esac
        count=$((count + 1))
        "$ptxas" -arch="sm_$arch" "$ptx" -o /dev/null || { echo "failed: $ptx for sm_$arch"; failed=1; }
    done
done
echo "$count assemblies"
[ "$count" -gt 0 ] || failed=1
exit $failed
