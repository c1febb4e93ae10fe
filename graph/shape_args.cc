#include "graph/shape_args.h"

namespace berth {
namespace {

// How many tensors the argument stands for; -1 when the attributes do not tell.
int Arity(const ArgDef& arg, const ShapeArgs& args) {
  if (!arg.number_attr.empty()) return static_cast<int>(args.Attr<int64_t>(arg.number_attr, -1));
  if (arg.type_list_attr.empty()) return 1;
  const AttrValue* types = args.attr(arg.type_list_attr);
  const AttrList* list = types == nullptr ? nullptr : types->get<AttrList>();
  return list == nullptr ? -1 : static_cast<int>(list->type.size());
}

}  // namespace

const AttrValue* ShapeArgs::attr(absl::string_view name) const {
  if (const AttrValue* value = own_attr(name)) return value;
  const AttrDef* def = op_->FindAttr(name);
  return def != nullptr && def->default_value.has_value() ? &*def->default_value : nullptr;
}

absl::Span<const int64_t> ShapeArgs::Ints(absl::string_view name) const {
  const AttrValue* value = attr(name);
  const AttrList* list = value == nullptr ? nullptr : value->get<AttrList>();
  return list == nullptr ? absl::Span<const int64_t>() : absl::Span<const int64_t>(list->i);
}

absl::Span<const PartialShape> ShapeArgs::Shapes(absl::string_view name) const {
  const AttrValue* value = attr(name);
  const AttrList* list = value == nullptr ? nullptr : value->get<AttrList>();
  return list == nullptr ? absl::Span<const PartialShape>() : absl::Span<const PartialShape>(list->shape);
}

absl::StatusOr<PartialShape> ShapeArgs::WithRank(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (!shape.has_rank()) return PartialShape::OfRank(rank);
  if (shape.rank() != rank) {
    return ShapeError("input '", InputName(i), "' must have rank ", rank, ", got ", shape.ToString());
  }
  return shape;
}

absl::StatusOr<PartialShape> ShapeArgs::WithRankAtLeast(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (shape.has_rank() && shape.rank() < rank) {
    return ShapeError("input '", InputName(i), "' must have rank ", rank, " or more, got ", shape.ToString());
  }
  return shape;
}

absl::StatusOr<PartialShape> ShapeArgs::WithRankAtMost(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (shape.has_rank() && shape.rank() > rank) {
    return ShapeError("input '", InputName(i), "' must have rank ", rank, " or less, got ", shape.ToString());
  }
  return shape;
}

std::optional<int64_t> ShapeArgs::ScalarValue(int i) {
  const SmallTensor* v = value(i);
  if (v == nullptr || v->size() != 1) return std::nullopt;
  return v->Int(0);
}

std::optional<std::vector<std::optional<int64_t>>> ShapeArgs::IntValues(int i) {
  const SmallTensor* v = value(i);
  if (v == nullptr || v->is_float()) return std::nullopt;
  std::vector<std::optional<int64_t>> ints(v->elements.size());
  for (size_t k = 0; k < ints.size(); ++k) ints[k] = v->Int(static_cast<int64_t>(k));
  return ints;
}

absl::StatusOr<PartialShape> ShapeArgs::ShapeValue(int i) {
  if (!input(i).has_rank()) return PartialShape::Unknown();
  if (input(i).rank() != 1) {
    return ShapeError("input '", InputName(i), "' must be a vector, got ", input(i).ToString());
  }
  const SmallTensor* v = value(i);
  if (v == nullptr) return PartialShape::Unknown();
  PartialShape shape = PartialShape::OfRank(static_cast<int>(v->size()));
  for (int d = 0; d < shape.rank(); ++d) {
    const std::optional<int64_t> size = v->Int(d);
    if (!size.has_value()) continue;
    if (*size < kUnknownDim) {
      return ShapeError("input '", InputName(i), "' must hold dimensions of -1 or more, got ", *size, " at ", d);
    }
    shape.set_dim(d, *size);
  }
  return shape;
}

std::string ShapeArgs::InputName(int i) const {
  int at = i;
  for (const ArgDef& arg : op_->inputs) {
    const bool list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    const int arity = Arity(arg, *this);
    if (arity < 0) break;
    if (at < arity) return list ? absl::StrCat(arg.name, "[", at, "]") : arg.name;
    at -= arity;
  }
  return absl::StrCat("#", i);
}

}  // namespace berth
