#!/bin/bash
# R187, R098: one graph placed and dumped in a hundred fresh processes, whatever the environment: equal bytes, as text, as JSON
# with every choice, and from runs with other numbers of threads, whose plans have one hash.
set -euo pipefail

berth=$PWD/$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  echo 'x = Placeholder() : f32[2,2]'
  for i in $(seq 0 19); do
    echo "w$i = VariableV2() {dtype=f32, shape=shape [2,2]} : f32&[2,2]"
    echo "m$i = MatMul(x, w$i) <a=1, b=2, tower=$((i % 3)), z=3> : f32[2,2] @gpu:$((i % 4))"
    echo "r$i = Relu(m$i) : f32[2,2]"
  done
} > "$folder/graph.txt"
policy='pins | match "op=Relu" prefer gpu:1 | towers-on gpu:* | greedy-locality'

first=
for i in $(seq 1 "$2"); do
  export MALLOC_PERTURB_=$((i % 256)) NOISE=$(head -c $((i * 37)) /dev/zero | tr '\0' x)
  "$berth" place "$folder/graph.txt" --machine cpu:1,gpu:2 --policy "$policy" --soft --json --explain \
    > "$folder/json" 2> "$folder/log"
  "$berth" place "$folder/graph.txt" --machine cpu:1,gpu:2 --policy "$policy" --soft > "$folder/text" 2>> "$folder/log"
  "$berth" run "$folder/graph.txt" --machine cpu:1,gpu:2 --policy "$policy" --soft --threads $((1 + i % 4)) \
    --feed 'x=[[1,2],[3,4]]' --set 'w0=[[1,0.625],[0,1]]' --fetch m0:0 --report "$folder/report" \
    > "$folder/values" 2>> "$folder/log"
  sum=$(cat "$folder/json" "$folder/text" "$folder/report" "$folder/values" "$folder/log" | cksum)
  [ -n "$first" ] || first=$sum
  if [ "$sum" != "$first" ]; then
    echo "process $i gives other bytes"
    cat "$folder/log"
    echo "berth-test: 0 passed, 1 failed, 0 skipped"
    exit 1
  fi
done
grep -q '"graph_hash"' "$folder/json"
grep -q '"policy_hash"' "$folder/json"
# R187: of the plan, in the log of the run.
grep -qE '^plan [0-9a-f]{16}$' "$folder/log"
# R098: the file that one flag of an ordinary run writes holds the placement, and no value.
grep -q '"device": "/job:localhost/replica:0/task:0/device:GPU:0"' "$folder/report"
grep -q '2\.625' "$folder/values"
if grep -q '2\.625' "$folder/report"; then
  echo "the report holds a value"
  exit 1
fi
echo "berth-test: 1 passed, 0 failed, 0 skipped"
