//===- FunctionRef.h - A borrowed callable ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like llvm::function_ref: two pointers, no allocation; the callable must
// outlive the call.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_FUNCTIONREF_H
#define QCC_RUNTIME_FUNCTIONREF_H

#include <memory>
#include <type_traits>
#include <utility>

namespace qcc::rt {

template <typename Signature> class FunctionRef;

template <typename Ret, typename... Params> class FunctionRef<Ret(Params...)> {
public:
  FunctionRef() = default;

  template <typename Callable,
            std::enable_if_t<!std::is_same_v<std::decay_t<Callable>,
                                             FunctionRef>> * = nullptr>
  FunctionRef(Callable &&callable)
      : callable_(const_cast<void *>(
            static_cast<const void *>(std::addressof(callable)))),
        call_([](void *callable, Params... params) -> Ret {
          return (*static_cast<std::remove_reference_t<Callable> *>(callable))(
              std::forward<Params>(params)...);
        }) {}

  Ret operator()(Params... params) const {
    return call_(callable_, std::forward<Params>(params)...);
  }

private:
  void *callable_ = nullptr;
  Ret (*call_)(void *, Params...) = nullptr;
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_FUNCTIONREF_H
