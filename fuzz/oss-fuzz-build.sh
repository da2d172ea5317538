#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and its like ask for it: with $CC, $CXX, $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE, into
# $OUT, each with its corpus and with the libraries that a machine without development packages lacks. What it needs of Debian is
# in scripts/deps; $WORK is where it builds. Built here by scripts/try-oss-fuzz.
cd "$(dirname "$0")/.."
build=${WORK:-$(pwd)/build}/oss-fuzz

make -j"$(nproc)" BUILD="$build" CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" CXXFLAGS="$CXXFLAGS" LIBFUZZER="$LIB_FUZZING_ENGINE" \
	LDFLAGS="${LDFLAGS:-} -Wl,-rpath,'\$\$ORIGIN/lib'" fuzzers

mkdir -p "$OUT/lib"
for source in fuzz/fuzz_*.c; do
	target=$(basename "$source" .c)
	files=$(sed -n 's/.*\.files = "\([a-z]*\)".*/\1/p' "$source")
	cp "$build/fuzz/$target" "$OUT/"
	python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "testdata/fuzz/$files"/*
	ldd "$OUT/$target" | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | grep -vE "^$OUT|/(libc|libm|libdl|librt|libpthread)\.so" |
		xargs -I{} cp -L {} "$OUT/lib/"
done
