"""External repositories, all of them local: Debian packages and stubs, never the network.

Bazel 4.2 asks for six repositories of its own. Four come from Debian packages. Two are stubs:
Debian's rules_cc is newer than this Bazel can load, and remote_coverage_tools is not packaged.

The libraries' headers lie under /usr/include, which the compiler searches by itself as system
headers: a target here is a name for the linker flags, and our warnings do not reach its headers.
"""

def _text_repository_impl(ctx):
    ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name)
    for path, text in ctx.attr.files.items():
        ctx.file(path, text)

_text_repository = repository_rule(
    implementation = _text_repository_impl,
    attrs = {"files": attr.string_dict(doc = "path -> contents")},
)

_NATIVE_CC_RULES = [
    "cc_binary",
    "cc_import",
    "cc_library",
    "cc_proto_library",
    "cc_test",
    "cc_toolchain",
    "cc_toolchain_suite",
    "fdo_prefetch_hints",
    "fdo_profile",
    "objc_library",
]

_LIBRARY = """cc_library(
    name = "{name}",
    linkopts = {linkopts},
    includes = {includes},
    visibility = ["//visibility:public"],
)
"""

def _library(name, libs = [], linkopts = [], includes = []):
    return _LIBRARY.format(
        name = name,
        linkopts = ["-l" + lib for lib in libs] + linkopts,
        includes = includes,
    )

def _system_libraries(name, targets):
    _text_repository(name = name, files = {"BUILD": "\n".join(targets)})

# Each list is in link order and complete for what the headers of that part use, so that one part
# can be linked alone. The linker drops a shared library that nothing needs (--as-needed).
_STRINGS = ["absl_str_format_internal", "absl_strings", "absl_strings_internal", "absl_throw_delegate", "absl_int128", "absl_raw_logging_internal", "absl_base"]
_STATUS = ["absl_statusor", "absl_status", "absl_cord", "absl_cordz_info", "absl_bad_variant_access", "absl_bad_optional_access"] + _STRINGS
_CONTAINER = ["absl_raw_hash_set", "absl_hashtablez_sampler", "absl_hash", "absl_city", "absl_low_level_hash"] + _STRINGS
_TIME = ["absl_time", "absl_civil_time", "absl_time_zone"] + _STRINGS
_SYNCHRONIZATION = ["absl_synchronization"] + _TIME
_FLAGS = [
    "absl_flags_parse",
    "absl_flags_usage",
    "absl_flags_usage_internal",
    "absl_flags_reflection",
    "absl_flags_config",
    "absl_flags_internal",
    "absl_flags_marshalling",
    "absl_flags_commandlineflag",
    "absl_flags_commandlineflag_internal",
    "absl_flags_private_handle_accessor",
    "absl_flags_program_name",
] + _CONTAINER

def _unique(names):
    return {name: None for name in names}.keys()

def berth_repositories():
    """Declares every external repository of this workspace."""
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    native.local_repository(name = "rules_proto", path = "/usr/share/bazel/rules/proto")
    native.local_repository(name = "bazel_skylib", path = "/usr/share/bazel/tools/skylib")
    native.local_repository(name = "platforms", path = "/usr/share/bazel/tools/platforms")
    _text_repository(
        name = "rules_cc",
        files = {
            "BUILD": "",
            "cc/BUILD": "",
            "cc/defs.bzl": "".join(["%s = native.%s\n" % (r, r) for r in _NATIVE_CC_RULES]),
        },
    )
    _text_repository(
        name = "remote_coverage_tools",
        files = {"BUILD": 'filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])\n'},
    )
    _system_libraries("abseil", [
        _library("status", libs = _STATUS),
        _library("strings", libs = _STRINGS),
        _library("container", libs = _CONTAINER),
        _library("time", libs = _TIME),
        _library("synchronization", libs = _SYNCHRONIZATION),
        _library("flags", libs = _FLAGS),
        _library("span", libs = ["absl_throw_delegate"]),
        _library("abseil", libs = _unique(_FLAGS + _SYNCHRONIZATION + _STATUS)),
    ])
    _system_libraries("protobuf", [_library("protobuf", libs = ["protobuf"], linkopts = ["-pthread"])])
    _system_libraries("catch2", [_library("catch2")])
    _system_libraries("onednn", [_library("onednn", libs = ["dnnl", "gomp"])])
    _system_libraries("highway", [_library("highway", libs = ["hwy"])])
    _system_libraries("json", [_library("json")])
    _system_libraries("cli11", [_library("cli11")])
    _system_libraries("dl", [_library("dl", libs = ["dl"])])
    _system_libraries("threads", [_library("threads", linkopts = ["-pthread"])])
