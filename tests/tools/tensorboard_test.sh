#!/bin/bash
# The events directory of every real graph loads in TensorBoard's own reader. Skips where TensorBoard is not installed.
set -euo pipefail

berth=$PWD/$1
python=${BERTH_PYTHON:-python3}
if ! "$python" -c 'import tensorboard' 2>/dev/null; then
  echo "SKIPPED tensorboard_test: TensorBoard is not installed (BERTH_PYTHON names a Python that has it)"
  echo "berth-test: 0 passed, 0 failed, 1 skipped"
  exit 0
fi
if [ -z "${BERTH_SHARED:-}" ]; then
  echo "SKIPPED tensorboard_test: no shared data"
  echo "berth-test: 0 passed, 0 failed, 1 skipped"
  exit 0
fi

logs=$(mktemp -d)
for file in "$BERTH_SHARED"/data/{graphs,models,opaque,topologies}/*; do
  "$berth" place "$file" --machine cpu:1,gpu:2 --soft --format pbtxt 2>/dev/null |
    "$berth" show - --format events --out "$logs/$(basename "$(dirname "$file")").$(basename "$file")" 2>/dev/null
done
"$python" - "$logs" <<'PYTHON'
import os, sys
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.compat.proto import graph_pb2
loaded = 0
for run in sorted(os.listdir(sys.argv[1])):
    events = event_accumulator.EventAccumulator(os.path.join(sys.argv[1], run), size_guidance={})
    events.Reload()
    graph = events.Graph()
    assert len(graph.node) > 0, run
    assert all(node.device for node in graph.node), run
    loaded += 1
print("loaded", loaded, "graphs")
assert loaded > 20, loaded
PYTHON
echo "berth-test: 1 passed, 0 failed, 0 skipped"
