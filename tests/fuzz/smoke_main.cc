// Runs a fuzz target without a fuzzer: on nothing, on every file named on the command line, and on
// seeded mutations of each (cut, flipped, doubled, spliced). Same inputs in every run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace {

constexpr int kMutations = 50;

void Try(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

std::string Mutate(const std::string& text, std::mt19937& random) {
  const size_t at = random() % text.size();
  const size_t n = random() % 16;
  std::string mutated = text;
  switch (random() % 4) {
    case 0:
      mutated.resize(at);
      break;
    case 1:
      mutated[at] = static_cast<char>(random());
      break;
    case 2:
      mutated.insert(at, text.substr(at, n));
      break;
    default:
      mutated.erase(at, n);
  }
  return mutated;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(1);
  Try("");
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Try(text);
    for (int k = 0; k < kMutations && !text.empty(); ++k) Try(Mutate(text, random));
  }
  std::printf("berth-test: 1 passed, 0 failed, 0 skipped\n");
  return 0;
}
