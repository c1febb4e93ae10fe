// How numbers and literals are written in Berth's text form, and read back: shortest digits that give the same bits.
//
//   tensor<f32[2,2] 1.0,2.0,...>      two values stored, the last one repeats
//   tensor<i32[4]>                    none stored: zeros
//   tensor<f32[1000] #0f..e1 4000B>   elided: fingerprint and size, for literals over 1 KB
//   tensor<variant? proto "\x08\x15">  opaque: the TensorProto's bytes
#ifndef BERTH_GRAPH_LITERAL_TEXT_H_
#define BERTH_GRAPH_LITERAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/literal.h"

namespace berth {

// Literals that store more bytes than this print as size and fingerprint.
constexpr int64_t kMaxPrintedBytes = 1024;

// Always recognisable as a float: "1.0", "1e+20", "-inf", "nan"; a NaN of other bits as "nan:0x7fc00001".
std::string FloatText(float f);
std::string FloatText(double d);

std::string LiteralText(const Literal& literal, bool all_values);

// An attribute's name as it stands, or quoted where it is not a plain word.
std::string AttrNameText(absl::string_view name);

}  // namespace berth

#endif  // BERTH_GRAPH_LITERAL_TEXT_H_
