// 16-bit floats by their bits: IEEE binary16 and bfloat16. To float is exact; from float rounds to nearest, ties to
// even.
#ifndef BERTH_GRAPH_HALF_H_
#define BERTH_GRAPH_HALF_H_

#include <cstdint>

namespace berth {

float HalfToFloat(uint16_t bits);
uint16_t FloatToHalf(float value);
float Bfloat16ToFloat(uint16_t bits);
uint16_t FloatToBfloat16(float value);

}  // namespace berth

#endif  // BERTH_GRAPH_HALF_H_
