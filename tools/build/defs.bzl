"""Macros of this workspace: tests, golden text tests, fuzz targets, protos, layers."""

def berth_test(name, srcs, deps = [], data = [], tags = [], size = "small", **kwargs):
    """A Catch2 test program with our main, which counts test cases and prints one line about them.

    Tag it `external` if it reads files through BERTH_SHARED (then it is never cached), and `sanitize`
    if it shall also run under the address and undefined behaviour sanitizers; `concurrent` besides, under
    the thread sanitizer.
    """
    native.cc_test(
        name = name,
        srcs = srcs,
        data = data,
        size = size,
        tags = tags,
        deps = deps + ["//tests:catch_main"],
        **kwargs
    )

def berth_fuzz(name, srcs, deps = [], tags = [], **kwargs):
    """A libFuzzer target: srcs define LLVMFuzzerTestOneInput; its seeds are the files of the folder NAME_corpus.

    NAME is the fuzzer itself (manual; build it with --config=fuzz). NAME_smoke is an ordinary test: the
    same code over the corpus, the empty input and some seeded mutations of each, without clang.
    """
    corpus = native.glob([name + "_corpus/*"])
    native.cc_binary(
        name = name,
        srcs = srcs,
        deps = deps,
        linkopts = select({
            "//tools/build:fuzz": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = tags + ["fuzz", "manual"],
        testonly = True,
        **kwargs
    )
    native.cc_test(
        name = name + "_smoke",
        srcs = srcs,
        args = ["$(locations %s)" % f for f in corpus],
        data = corpus,
        size = "small",
        tags = tags + ["sanitize"],
        deps = deps + ["//tests/fuzz:smoke_main"],
        **kwargs
    )

def berth_proto(name, deps = []):
    """NAME.proto as a C++ library, header proto/NAME.pb.h. Imports are written from the top: "proto/x.proto".

    The C++ classes are in namespace berth::pb, since the graph has an AttrValue and an OpDef of its own; the
    protobuf package stays `berth`.
    """
    native.genrule(
        name = name + "_pb",
        srcs = [name + ".proto"] + native.glob(["*.proto"], exclude = [name + ".proto"]),
        outs = [name + ".pb.h", name + ".pb.cc"],
        cmd = "protoc -I. --cpp_out=$(GENDIR) $(location %s.proto) && " % name +
              "sed -i -e 's/::berth::/::berth::pb::/g' -e 's/^namespace berth {/namespace berth::pb {/' $(OUTS)",
    )
    native.cc_library(
        name = name,
        srcs = [name + ".pb.cc"],
        hdrs = [name + ".pb.h"],
        copts = ["-w"],
        deps = deps + ["@protobuf//:protobuf"],
    )

def berth_layer(name):
    """Gathers the package's libraries made so far into one target. Call it at the end of a BUILD file."""
    native.filegroup(
        name = name,
        srcs = [":" + r["name"] for r in native.existing_rules().values() if r["kind"] == "cc_library"],
        testonly = True,
        visibility = ["//tests:__subpackages__"],
    )

def layer_test(name, layer, never):
    """Fails if the layer's libraries reach a target whose label starts with one of `never`."""
    native.genquery(
        name = name + "_deps",
        expression = "deps(%s)" % layer,
        opts = ["--noimplicit_deps", "--nohost_deps"],
        scope = [layer],
        testonly = True,
    )
    native.sh_test(
        name = name,
        srcs = ["//tests:layer_test.sh"],
        args = ["$(location :%s_deps)" % name] + never,
        data = [":%s_deps" % name],
        size = "small",
    )
