#include "tools/event_file.h"

#include "absl/strings/escaping.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("CRC-32C gives the published sums") {
  struct Row {
    std::string bytes;
    uint32_t crc;
  };
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending.push_back(static_cast<char>(i));
  const Row rows[] = {{"123456789", 0xE3069283u},
                      {std::string(32, '\0'), 0x8A9136AAu},
                      {std::string(32, '\xff'), 0x62A8AB43u},
                      {ascending, 0x46DD794Eu}};
  for (const Row& row : rows) CHECK(Crc32c(row.bytes) == row.crc);
  CHECK(MaskedCrc32c(std::string("\x1a\x11") + "CRC test, one two") == 0x5794D08Au);
}

TEST_CASE("records are framed as TensorBoard reads them") {
  pb::Event version;
  version.set_wall_time(1.0);
  version.set_file_version("brain.Event:2");
  CHECK(absl::BytesToHexString(EventRecord(version.SerializeAsString())) ==
        "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a");
  pb::GraphDef graph;
  graph.add_node()->set_name("a");
  graph.mutable_node(0)->set_op("NoOp");
  graph.mutable_versions()->set_producer(27);
  pb::Event event;
  event.set_wall_time(2.0);
  event.set_graph_def(graph.SerializeAsString());
  CHECK(absl::BytesToHexString(EventRecord(event.SerializeAsString())) ==
        "1a00000000000000129bd82d090000000000000040220f0a090a016112044e6f4f702202081b0e579a26");
}

}  // namespace
}  // namespace berth
