// Shape functions of arithmetic, reductions, matrices, convolutions and other layers.
#include "tests/graph/shape_case.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("shapes: elementwise ops") {
  CheckShapes({
      {"Relu", "f32[?,3]", "", "[?,3]"},
      {"Add", "f32[2,1,3] f32[4,1]", "", "[2,4,3]"},
      {"Mul", "f32[?,3] f32[2,1]", "", "[2,3]"},
      {"Mul", "f32[?,3] f32[1]", "", "[?,3]"},
      {"Mul", "f32? f32[1]", "", "?"},
      {"Sub", "f32[2] f32[3]", "",
       "error: shapes [2] and [3] do not broadcast: 2 against 3 in dimension 0 of the result"},
      {"AddN", "f32[2,?] f32[?,3] f32?", "", "[2,3]"},
      {"AddN", "f32[2] f32[3]", "", "error: inputs must have one shape: shapes [2] and [3] differ in dimension 0"},
      {"Equal", "f32[2] f32[3]", "incompatible_shape_error=false", "?"},
      {"Equal", "f32[2] f32[1]", "incompatible_shape_error=false", "[2]"},
      {"Select", "bool[] f32[2,?] f32[?,3]", "", "[2,3]"},
      {"Select", "bool[2] f32[?,3] f32[?,3]", "", "[2,3]"},
      {"Select", "bool[4] f32[2,3] f32[2,3]", "",
       "error: a condition that is a vector must have one element a row, got [4] for [2,3]"},
      {"Select", "bool[2,1] f32[2,3] f32[2,3]", "",
       "error: condition and values must have one shape: shapes [2,3] and [2,1] differ in dimension 1"},
      {"SelectV2", "bool[2,1] f32[3] f32[]", "", "[2,3]"},
      {"Cast", "f32[2]", "DstT=i32", "[2]"},
  });
}

TEST_CASE("shapes: reductions, ranges and order") {
  CheckShapes({
      {"Sum", "f32[2,?,4] i32[1]{1}", "", "[2,4]"},
      {"Sum", "f32[2,?,4] i32[2]{0,-1}", "keep_dims=true", "[1,?,1]"},
      {"Sum", "f32[2,3,4] i32[]{1}", "", "[2,4]"},
      {"Sum", "f32[2,3,4] i32[0]{}", "", "[2,3,4]"},
      {"Sum", "f32[2,3,4] i32[2]", "", "[?]"},
      {"Sum", "f32[2,3,4] i32?", "", "?"},
      {"Sum", "f32[2,3,4] i32?", "keep_dims=true", "[?,?,?]"},
      {"Max", "f32[2] i32[1]{1}", "", "error: reduction axes must be in [-1,1), got 1"},
      {"Max", "f32[2] i32[2]{0,-1}", "", "error: reduction axes must be distinct, got 0 twice"},
      {"Max", "f32[2] i32[1,1]", "", "error: input 'reduction_indices' must have rank 1 or less, got [1,1]"},
      {"ArgMax", "f32[2,3,4] i32[]{-1}", "", "[2,3]"},
      {"ArgMax", "f32[2,3,4] i32[]", "", "[?,?]"},
      {"ArgMax", "f32[2] i32[]", "", "[]"},
      {"ArgMax", "f32[2,3] i32[]{2}", "", "error: dimension must be in [-2,2), got 2"},
      {"Cumsum", "f32[2,3] i32[]{2}", "", "error: axis must be in [-2,2), got 2"},
      {"Cumsum", "f32[2,3] i32[]{1}", "", "[2,3]"},
      {"Range", "i32[]{2} i32[]{9} i32[]{3}", "", "[3]"},
      {"Range", "i32[]{9} i32[]{2} i32[]{-3}", "", "[3]"},
      {"Range", "f32[]{0.0} f32[]{1.0} f32[]{0.25}", "", "[4]"},
      {"Range", "i32[] i32[]{9} i32[]{3}", "", "[?]"},
      {"Range", "i32[]{0} i32[]{9} i32[]{0}", "", "error: delta must not be 0, got 0"},
      {"Range", "i32[]{0} i32[]{9} i32[]{-1}", "", "error: limit must lie in the direction of delta, got 0 to 9 by -1"},
      {"TopKV2", "f32[2,9] i32[]{3}", "", "[2,3] [2,3]"},
      {"TopKV2", "f32[2,9] i32[]{10}", "", "error: k must be at most the size of the last dimension, got 10 for [2,9]"},
      {"UnsortedSegmentSum", "f32[4,3] i32[4] i32[]{9}", "", "[9,3]"},
      {"UnsortedSegmentSum", "f32[4,3] i32[5] i32[]{9}", "",
       "error: data must begin with the shape of segment_ids: shapes [4] and [5] differ in dimension 0"},
      {"DynamicStitch", "i32[2]{0,3} i32[1]{1} f32[2,5] f32[1,5]", "", "[4,5]"},
      {"DynamicStitch", "i32[2] i32[1]{1} f32[2,5] f32[1,?]", "", "[?,5]"},
  });
}

TEST_CASE("shapes: matrices and Fourier transforms") {
  CheckShapes({
      {"MatMul", "f32[4,?] f32[8,3]", "", "[4,3]"},
      {"MatMul", "f32[4,7] f32[8,3]", "transpose_a=true",
       "error: inner dimensions must agree, got [4,7] transposed x [8,3]"},
      {"MatMul", "f32[7,4] f32[3,7]", "transpose_a=true, transpose_b=true", "[4,3]"},
      {"MatMul", "f32[4] f32[3,7]", "", "error: input 'a' must have rank 2, got [4]"},
      {"BatchMatMul", "f32[2,3,4] f32[2,4,5]", "", "[2,3,5]"},
      {"BatchMatMul", "f32[2,3,4] f32[1,4,5]", "",
       "error: batch dimensions must agree: shapes [2] and [1] differ in dimension 0"},
      {"BatchMatMulV2", "f32[2,1,3,4] f32[6,5,4]", "adj_y=true", "[2,6,3,5]"},
      {"BatchMatMulV2", "f32? f32[6,5,4]", "", "?"},
      {"BatchMatMulV2", "f32[2,3,4] f32[3,4,5]", "", "error: batch dimensions must broadcast, got [2,3,4] x [3,4,5]"},
      {"Einsum", "f32[2,3] f32[3,4]", "equation=\"ij,jk->ik\"", "[2,4]"},
      {"Einsum", "f32[5,1,2,3] f32[7,3,4]", "equation=\"...ij,...jk->...ik\"", "[5,7,2,4]"},
      {"Einsum", "f32[3,3]", "equation=\"ii->i\"", "[3]"},
      {"Einsum", "f32[2,3] f32[4,5]", "equation=\"ij,jk->ik\"", "error: label 'j' must have one size, got 3 and 4"},
      {"Einsum", "f32[2,3]", "equation=\"ij->ik\"",
       "error: label 'k' of the output must occur in an input of 'ij->ik'"},
      {"Einsum", "f32[2,3]", "equation=\"ij\"", "error: an equation must have one '->', got 'ij'"},
      {"Einsum", "f32[2,3]", "equation=\"ij,jk->ik\"", "error: equation 'ij,jk->ik' has 2 terms, got 1 inputs"},
      {"Einsum", "f32[2,3]", "equation=\"i1->i\"", "error: an equation must hold letters and '...', got '1'"},
      {"RFFT", "f32[2,8] i32[1]{6}", "", "[2,4]"},
      {"RFFT", "f32[2,8] i32[1]", "", "[2,?]"},
      {"IRFFT", "c64[2,4] i32[1]{6}", "", "[2,6]"},
      {"FFT", "c64[]", "", "error: input 'input' must have rank 1 or more, got []"},
  });
}

TEST_CASE("shapes: convolutions and pools") {
  CheckShapes({
      {"Conv2D", "f32[8,32,32,3] f32[3,3,3,16]", "strides=[1,2,2,1], padding=\"SAME\"", "[8,16,16,16]"},
      {"Conv2D", "f32[8,32,32,3] f32[3,3,3,16]", "strides=[1,2,2,1], padding=\"VALID\"", "[8,15,15,16]"},
      {"Conv2D", "f32[?,3,?,32] f32[3,3,3,16]", "strides=[1,1,1,1], padding=\"VALID\", data_format=\"NCHW\"",
       "[?,16,?,30]"},
      {"Conv2D", "f32[8,9,9,3] f32[3,3,3,16]", "strides=[1,1,1,1], padding=\"VALID\", dilations=[1,2,2,1]",
       "[8,5,5,16]"},
      {"Conv2D", "f32[8,9,9,3] f32[3,3,3,16]",
       "strides=[1,1,1,1], padding=\"EXPLICIT\", explicit_paddings=[0,0,1,2,0,1,0,0]", "[8,10,8,16]"},
      {"Conv2D", "f32[8,9,9,4] f32[3,3,2,16]", "strides=[1,1,1,1], padding=\"SAME\"", "[8,9,9,16]"},
      {"Conv2D", "f32? f32?", "strides=[1,1,1,1], padding=\"SAME\"", "[?,?,?,?]"},
      {"Conv2D", "f32[8,9,9,3] f32[3,3,2,16]", "strides=[1,1,1,1], padding=\"SAME\"",
       "error: input channels must be a multiple of the filter's, got [8,9,9,3] with filter [3,3,2,16]"},
      {"Conv2D", "f32[8,9,9,4] f32[3,3,2,15]", "strides=[1,1,1,1], padding=\"SAME\"",
       "error: output channels must be a multiple of the 2 groups, got filter [3,3,2,15]"},
      {"Conv2D", "f32[8,2,2,3] f32[3,3,3,16]", "strides=[1,1,1,1], padding=\"VALID\"",
       "error: a window of 3 must fit the input, got 2 with padding VALID"},
      {"Conv2D", "f32[8,9,9] f32[3,3,3,16]", "strides=[1,1,1,1], padding=\"SAME\"",
       "error: input 'input' must have rank 4, got [8,9,9]"},
      {"Conv2D", "f32[8,9,9,3] f32[3,3,3,16]", "strides=[1,1], padding=\"SAME\"",
       "error: strides must have 4 elements, got 2"},
      {"Conv2D", "f32[8,9,9,3] f32[3,3,3,16]", "strides=[1,0,1,1], padding=\"SAME\"",
       "error: strides must be at least 1, got 0"},
      {"Conv3D", "f32[1,8,8,8,3] f32[2,2,2,3,5]", "strides=[1,2,2,2,1], padding=\"VALID\"", "[1,4,4,4,5]"},
      {"DepthwiseConv2dNative", "f32[1,8,8,3] f32[3,3,3,2]", "strides=[1,1,1,1], padding=\"SAME\"", "[1,8,8,6]"},
      {"DepthwiseConv2dNative", "f32[1,8,8,4] f32[3,3,3,2]", "strides=[1,1,1,1], padding=\"SAME\"",
       "error: input channels must be the filter's, got [1,8,8,4] with filter [3,3,3,2]"},
      {"Conv2DBackpropInput", "i32[4]{8,9,9,3} f32[3,3,3,16] f32[8,9,9,16]", "strides=[1,1,1,1], padding=\"SAME\"",
       "[8,9,9,3]"},
      {"Conv2DBackpropInput", "i32[2]{9,9} f32[3,3,3,16] f32[8,9,9,16]", "strides=[1,1,1,1], padding=\"SAME\"",
       "[8,9,9,3]"},
      {"Conv2DBackpropInput", "i32[4] f32[3,3,3,16] f32[8,9,9,16]", "strides=[1,1,1,1], padding=\"SAME\"", "[8,?,?,?]"},
      {"Conv2DBackpropFilter", "f32[8,9,9,3] i32[4]{3,3,3,16} f32[8,9,9,16]", "strides=[1,1,1,1], padding=\"SAME\"",
       "[3,3,3,16]"},
      {"MaxPool", "f32[1,9,9,3]", "ksize=[1,2,2,1], strides=[1,2,2,1], padding=\"VALID\"", "[1,4,4,3]"},
      {"MaxPool", "f32[1,9,9,6]", "ksize=[1,1,1,3], strides=[1,1,1,3], padding=\"VALID\"", "[1,9,9,2]"},
      {"AvgPool", "f32[1,3,9,9]", "ksize=[1,1,3,3], strides=[1,1,2,2], padding=\"SAME\", data_format=\"NCHW\"",
       "[1,3,5,5]"},
      {"AvgPool", "f32[1,9,9,3]", "ksize=[1,0,2,1], strides=[1,2,2,1], padding=\"VALID\"",
       "error: ksize must be at least 1, got 0"},
      {"AvgPoolGrad", "i32[4]{1,9,9,3} f32[1,4,4,3]", "ksize=[1,2,2,1], strides=[1,2,2,1], padding=\"VALID\"",
       "[1,9,9,3]"},
      {"MaxPoolGrad", "f32[1,9,9,3] f32[1,4,4,3] f32[1,4,4,2]", "ksize=[1,2,2,1], strides=[1,2,2,1], padding=\"VALID\"",
       "error: grad must have the shape of orig_output: shapes [1,4,4,3] and [1,4,4,2] differ in dimension 3"},
  });
}

TEST_CASE("shapes: layers") {
  CheckShapes({
      {"BiasAdd", "f32[?,?] f32[4]", "", "[?,4]"},
      {"BiasAdd", "f32[2,4,5,5] f32[4]", "data_format=\"NCHW\"", "[2,4,5,5]"},
      {"BiasAdd", "f32[2,4] f32[5]", "",
       "error: bias must have one element a channel (dimension 1), got [5] for [2,4]"},
      {"BiasAdd", "f32[4] f32[4]", "", "error: input 'value' must have rank 2 or more, got [4]"},
      {"BiasAddGrad", "f32[2,3,4]", "", "[4]"},
      {"FusedBatchNormV2", "f32[2,5,5,?] f32[3] f32[3] f32[3] f32[3]", "is_training=false",
       "[2,5,5,3] [3] [3] [3] [3]"},
      {"FusedBatchNormV3", "f32[2,3,5,5] f32[3] f32[3] f32[0] f32[0]", "data_format=\"NCHW\"",
       "[2,3,5,5] [3] [3] [3] [3] ?"},
      {"FusedBatchNormV2", "f32[2,5,5,4] f32[3] f32[3] f32[3] f32[3]", "",
       "error: input 'scale' must have one element a channel, got [3] for [2,5,5,4]"},
      {"FusedBatchNormGradV2", "f32[2,5,5,3] f32[2,5,5,3] f32[3] f32[3] f32[3]", "", "[2,5,5,3] [3] [3] [0] [0]"},
      {"L2Loss", "f32[2,3]", "", "[]"},
      {"LRN", "f32[2,3]", "", "error: input 'input' must have rank 4, got [2,3]"},
      {"Softmax", "f32[2,3]", "", "[2,3]"},
      {"Softmax", "f32[]", "", "error: input 'logits' must have rank 1 or more, got []"},
      {"SoftmaxCrossEntropyWithLogits", "f32[8,10] f32[1,10]", "", "[8] [8,10]"},
      {"SparseSoftmaxCrossEntropyWithLogits", "f32[8,10] i64[7]", "",
       "error: labels must have one element a row of features, got [7] for [8,10]"},
      {"SparseSoftmaxCrossEntropyWithLogits", "f32[?,10] i64[8]", "", "[8] [8,10]"},
      {"ReluGrad", "f32[?,3] f32[2,?]", "", "[2,3]"},
      {"RandomUniform", "i32[2]{3,4}", "dtype=f32", "[3,4]"},
      {"RandomUniformInt", "i32[2]{3,4} i32[2] i32[]", "", "error: input 'minval' must have rank 0, got [2]"},
      {"RandomShuffle", "f32[5,2]", "", "[5,2]"},
  });
}

}  // namespace
}  // namespace berth
