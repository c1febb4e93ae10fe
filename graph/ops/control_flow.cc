#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"ControlTrigger() -> ()"},
    {"Enter(data: T) -> (output: T) {T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int "
     "= 10}"},
    {"Exit(data: T) -> (output: T) {T: type}"},
    {"If(cond: Tcond, input: Tin) -> (output: Tout) {Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; "
     "then_branch: func; else_branch: func; output_shapes: list(shape) = []} stateful"},
    {"LoopCond(input: bool) -> (output: bool)"},
    {"Merge(inputs: N * T) -> (output: T, value_index: i32) {T: type; N: int >= 1}"},
    {"NextIteration(data: T) -> (output: T) {T: type}"},
    {"NoOp() -> ()"},
    {"PartitionedCall(args: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: "
     "string = ''; config_proto: string = ''; executor_type: string = ''}"},
    {"RefEnter(data: T&) -> (output: T&) {T: type; frame_name: string; is_constant: bool = false; parallel_iterations: "
     "int = 10}"},
    {"RefExit(data: T&) -> (output: T&) {T: type}"},
    {"RefIdentity(input: T&) -> (output: T&) {T: type} uninitialized_input"},
    {"RefMerge(inputs: N * T&) -> (output: T&, value_index: i32) {T: type; N: int >= 1}"},
    {"RefNextIteration(data: T&) -> (output: T&) {T: type}"},
    {"RefSwitch(data: T&, pred: bool) -> (output_false: T&, output_true: T&) {T: type} uninitialized_input"},
    {"StatefulPartitionedCall(args: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; "
     "config: string = ''; config_proto: string = ''; executor_type: string = ''} stateful distributed"},
    {"StatelessIf(cond: Tcond, input: Tin) -> (output: Tout) {Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= "
     "0; then_branch: func; else_branch: func; output_shapes: list(shape) = []}"},
    {"StatelessWhile(input: T) -> (output: T) {T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) "
     "= []; parallel_iterations: int = 10}"},
    {"Switch(data: T, pred: bool) -> (output_false: T, output_true: T) {T: type}"},
    {"While(input: T) -> (output: T) {T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; "
     "parallel_iterations: int = 10} stateful"},
    {"_Arg() -> (output: T) {T: type; index: int >= 0} stateful"},
    {"_HostRecv() -> (tensor: tensor_type) {tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false} stateful distributed"},
    {"_HostSend(tensor: T) -> () {T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false} stateful"},
    {"_Recv() -> (tensor: tensor_type) {tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false} stateful distributed"},
    {"_Retval(input: T) -> () {T: type; index: int >= 0} stateful"},
    {"_Send(tensor: T) -> () {T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false} stateful"},
};

}  // namespace

absl::Span<const OpRow> ControlFlowOps() { return kRows; }

}  // namespace berth
