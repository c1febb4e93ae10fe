// The program berth: picks the verb; everything else is in the verbs' libraries.

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::puts("berth 0.1.0");
    return 0;
  }
  std::fputs("berth: expected a verb or --version, got nothing known\n", stderr);
  return 2;
}
