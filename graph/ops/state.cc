#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"ApplyAdagrad(var: T&, accum: T&, lr: T, grad: T) -> (out: T&) {T: type in number; use_locking: bool = false; "
     "update_slots: bool = true}"},
    {"ApplyAdam(var: T&, m: T&, v: T&, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) "
     "-> (out: T&) {T: type in number; use_locking: bool = false; use_nesterov: bool = false}"},
    {"ApplyGradientDescent(var: T&, alpha: T, delta: T) -> (out: T&) {T: type in number; use_locking: bool = false}"},
    {"ApplyMomentum(var: T&, accum: T&, lr: T, grad: T, momentum: T) -> (out: T&) {T: type in number; use_locking: "
     "bool = false; use_nesterov: bool = false}"},
    {"ApplyRMSProp(var: T&, ms: T&, mom: T&, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out: T&) {T: type in "
     "number; use_locking: bool = false}"},
    {"Assign(ref: T&, value: T) -> (output_ref: T&) {T: type; validate_shape: bool = true; use_locking: bool = true} "
     "uninitialized_input"},
    {"AssignAdd(ref: T&, value: T) -> (output_ref: T&) {T: type in number; use_locking: bool = false}"},
    {"AssignAddVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful"},
    {"AssignSub(ref: T&, value: T) -> (output_ref: T&) {T: type in number; use_locking: bool = false}"},
    {"AssignSubVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful"},
    {"AssignVariableOp(resource: resource, value: dtype) -> () {dtype: type; validate_shape: bool = false} stateful"},
    {"DestroyResourceOp(resource: resource) -> () {ignore_lookup_error: bool = true} stateful"},
    {"IsVariableInitialized(ref: dtype&) -> (is_initialized: bool) {dtype: type} uninitialized_input"},
    {"ReadVariableOp(resource: resource) -> (value: dtype) {dtype: type} stateful"},
    {"ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> () {T: type in number; use_locking: bool "
     "= false; update_slots: bool = true} stateful"},
    {"ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, "
     "beta2: T, epsilon: T, grad: T) -> () {T: type in number; use_locking: bool = false; use_nesterov: bool = false} "
     "stateful"},
    {"ResourceApplyGradientDescent(var: resource, alpha: T, delta: T) -> () {T: type in number; use_locking: bool = "
     "false} stateful"},
    {"ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in "
     "number; use_locking: bool = false; use_nesterov: bool = false} stateful"},
    {"ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in number; "
     "use_locking: bool = false; use_nesterov: bool = false} stateful"},
    {"ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: "
     "T) -> () {T: type in number; use_locking: bool = false} stateful"},
    {"ResourceGather(resource: resource, indices: Tindices) -> (output: dtype) {batch_dims: int = 0; validate_indices: "
     "bool = true; dtype: type; Tindices: type in index} stateful"},
    {"ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type in number; "
     "Tindices: type in index} stateful"},
    {"VarHandleOp() -> (resource: resource) {container: string = ''; shared_name: string = ''; debug_name: string = "
     "''; dtype: type; shape: shape; allowed_devices: list(string) = []} stateful"},
    {"VarIsInitializedOp(resource: resource) -> (is_initialized: bool) stateful"},
    {"VariableV2() -> (ref: dtype&) {shape: shape; dtype: type; container: string = ''; shared_name: string = ''} "
     "stateful"},
};

}  // namespace

absl::Span<const OpRow> StateOps() { return kRows; }

}  // namespace berth
