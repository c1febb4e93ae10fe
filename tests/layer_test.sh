#!/bin/bash
# layer_test.sh LABELS PREFIX...: fails if a label in the file LABELS starts with one of the prefixes.
set -u
labels=$1
shift
status=0
[ -s "$labels" ] || { echo "$labels: expected labels, got an empty file"; exit 1; }
for prefix in "$@"; do
  if found=$(grep -F -- "$prefix" "$labels" | awk -v p="$prefix" 'index($0, p) == 1'); [ -n "$found" ]; then
    echo "layer reaches $prefix:"
    echo "$found"
    status=1
  fi
done
exit $status
