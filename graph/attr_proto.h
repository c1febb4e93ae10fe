// Attribute values and tensors to and from their protobuf messages. Only the few files that read or write wire formats
// include this.
#ifndef BERTH_GRAPH_ATTR_PROTO_H_
#define BERTH_GRAPH_ATTR_PROTO_H_

#include "absl/status/statusor.h"
#include "graph/attr_value.h"
#include "proto/attr_value.pb.h"

namespace berth {

// Takes large byte strings out of `proto`. Errors (InvalidArgument) are "expected ..., got ...": a dtype number that no
// dtype can have, a dimension below -1 (of a tensor: below 0), values that do not fit the shape. Nothing is expanded.
absl::StatusOr<AttrValue> AttrFromProto(pb::AttrValue& proto);
absl::StatusOr<Literal> LiteralFromProto(pb::TensorProto& proto);
absl::StatusOr<PartialShape> ShapeFromProto(const pb::TensorShapeProto& proto);
absl::StatusOr<DType> DTypeFromProto(int number);

void AttrToProto(const AttrValue& value, pb::AttrValue* proto);
// One value or fewer than the shape has goes to the typed list, as TensorFlow writes them; all values go to
// tensor_content.
void LiteralToProto(const Literal& literal, pb::TensorProto* proto);
void ShapeToProto(const PartialShape& shape, pb::TensorShapeProto* proto);

}  // namespace berth

#endif  // BERTH_GRAPH_ATTR_PROTO_H_
