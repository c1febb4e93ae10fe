// The value of a node's attribute: the kinds that GraphDef's AttrValue can hold.
//
//   {transpose_b=true, strides=[1,2,2,1], padding="SAME", T=f32}
#ifndef BERTH_GRAPH_ATTR_VALUE_H_
#define BERTH_GRAPH_ATTR_VALUE_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "graph/dtype.h"
#include "graph/literal.h"
#include "graph/shape.h"

namespace berth {

class AttrValue;

// A function by name with the values of its own attributes.
struct FunctionRef {
  std::string name;
  std::map<std::string, AttrValue> attrs;
  friend bool operator==(const FunctionRef& a, const FunctionRef& b);
};

// A placeholder name inside a function body's attributes, filled in when the function is instantiated.
struct AttrPlaceholder {
  std::string name;
  friend bool operator==(const AttrPlaceholder& a, const AttrPlaceholder& b) { return a.name == b.name; }
};

// At most one of these is not empty in a well-formed graph; an empty list has no element type.
struct AttrList {
  std::vector<std::string> s;
  std::vector<int64_t> i;
  std::vector<float> f;
  std::vector<bool> b;
  std::vector<DType> type;
  std::vector<PartialShape> shape;
  std::vector<Literal> tensor;
  std::vector<FunctionRef> func;

  size_t size() const;
  friend bool operator==(const AttrList& a, const AttrList& b);
};

// A value, equality by content (floats by bits). monostate: present in the file, but with nothing set.
class AttrValue {
 public:
  using Kind = std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Literal,
                            AttrPlaceholder, FunctionRef, AttrList>;
  AttrValue() = default;
  AttrValue(Kind kind) : kind_(std::move(kind)) {}  // NOLINT: implicit on purpose

  const Kind& kind() const { return kind_; }
  // Null when the value is of another kind.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&kind_);
  }
  // As the text form prints it: 3, 0.5, true, "SAME", f32, [1,2], shape [1,?], tensor<f32[2] 1,2>, func name{...}.
  // Literals over 1 KB print as size and fingerprint unless `all_values`.
  std::string ToString(bool all_values = false) const;
  // Stable over runs and machines.
  uint64_t Fingerprint() const;

  friend bool operator==(const AttrValue& a, const AttrValue& b);
  friend bool operator!=(const AttrValue& a, const AttrValue& b) { return !(a == b); }

 private:
  Kind kind_;
};

}  // namespace berth

#endif  // BERTH_GRAPH_ATTR_VALUE_H_
