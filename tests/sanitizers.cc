// Default options that the sanitizers' run times ask for at start. Without a sanitizer nothing
// calls these. Abseil, protobuf, oneDNN and OpenMP come from the system and are not instrumented:
// the thread sanitizer cannot see their locks, so what it reports inside them is not believed.

extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1";
}

extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1"; }

extern "C" const char* __tsan_default_options() {
  return "halt_on_error=1:second_deadlock_stack=1:ignore_noninstrumented_modules=1";
}

extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libgomp.so\n"
         "called_from_lib:libdnnl.so\n"
         "race:libabsl_\n"
         "race:libprotobuf.so\n"
         "race:libdnnl.so\n"
         "race:libgomp.so\n"
         "mutex:libabsl_\n";
}

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgomp.so\n"
         "leak:libdnnl.so\n";
}
