//===- Convert.h - Statuses and structures across the C API -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both libraries of the C API share. No exception leaves a function of it:
// without memory the C++ library throws, and so may hooks of the host, though
// they must not. A structure with a `size` may come
// from a caller that knows fewer or more of its fields than the library:
// missing ones are zero, and those that the library does not know must be.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_CONVERT_H
#define QCC_LIB_CAPI_CONVERT_H

#include "qcc-c/Status.h"
#include "qcc/Base/Status.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <string>

namespace qcc::capi {

/// The status that `body` returns, or one for the exception that left it.
template <typename Body> qccStatus withoutExceptions(Body body) {
  auto noMemory = [] {
    return qccStatusCreate(QCC_STATUS_OUT_OF_MEMORY,
                           "there is not enough memory; free some, or raise "
                           "the limits of the process");
  };
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return noMemory();
  } catch (const std::length_error &) {
    return noMemory();
  } catch (const std::exception &error) {
    return qccStatusCreate(QCC_STATUS_INTERNAL, error.what());
  }
}

inline qccStatus toC(const rt::Status &status) {
  return qccStatusCreate(static_cast<qccStatusCode>(status.code()),
                         status.message().c_str());
}

inline qccStatus invalidArgument(const std::string &message) {
  return toC(rt::invalidArgument(message));
}

inline qccStatus nullPointer(const char *what) {
  return invalidArgument(std::string(what) + " is a null pointer");
}

inline rt::Status checkSize(size_t size) {
  constexpr size_t limit = 1 << 16;
  if (size < sizeof(size_t) || size > limit)
    return rt::invalidArgument(
        "the field `size` of a structure is " + std::to_string(size) +
        "; set it to the structure's sizeof, as the Init function does");
  return rt::Status::ok();
}

/// Copies options that the caller gave; null gives the defaults.
template <typename Struct>
rt::Status readStruct(const Struct *given, Struct &known) {
  memset(static_cast<void *>(&known), 0, sizeof(known));
  known.size = sizeof(known);
  if (!given)
    return rt::Status::ok();
  rt::Status status = checkSize(given->size);
  if (!status.isOk())
    return status;
  auto *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(known); i < given->size; ++i)
    if (bytes[i] != 0)
      return rt::unsupported("an option is set that this version of the "
                             "library does not have; update the library");
  memcpy(static_cast<void *>(&known), bytes,
         std::min(given->size, sizeof(known)));
  known.size = sizeof(known);
  return rt::Status::ok();
}

/// Reads a hook that the caller gave; a null pointer means no hook. `what` is
/// the field of the options, and `function` what a hook cannot do without.
template <typename Hook, typename Function>
rt::Status readHook(const Hook *given, Hook &known, Function Hook::*function,
                    const char *what) {
  rt::Status status = readStruct(given, known);
  if (status.isOk() && given && !(known.*function))
    return rt::invalidArgument(std::string(what) +
                               " is given, but its function is a null pointer; "
                               "set the function, or give no hook");
  return status;
}

/// Reads an array of structures with names, which all are of the size that the
/// first one says; `body` adds each to a table, or says what is wrong with it.
/// No two have one name. `what` is the field of the options.
template <typename Struct, typename Body>
rt::Status readNamed(const Struct *given, size_t count, const char *what,
                     Body body) {
  if (count > 0 && !given)
    return rt::invalidArgument(std::string(what) + " is a null pointer");
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    Struct known;
    auto *at = reinterpret_cast<const char *>(given) + i * given->size;
    rt::Status status = readStruct(reinterpret_cast<const Struct *>(at), known);
    if (!status.isOk())
      return status;
    if (!known.name || !*known.name)
      status = rt::invalidArgument("it has no name");
    else if (!names.insert(known.name).second)
      status = rt::invalidArgument("there is another one of the name '" +
                                   std::string(known.name) + "'");
    else
      status = body(known);
    if (!status.isOk())
      return status.withPrefix(std::string(what) + "[" + std::to_string(i) +
                               "]: ");
  }
  return rt::Status::ok();
}

/// Fills the fields that the caller knows.
template <typename Struct> rt::Status writeStruct(Struct known, Struct *given) {
  if (!given)
    return rt::invalidArgument("the structure to fill is a null pointer");
  rt::Status status = checkSize(given->size);
  if (!status.isOk())
    return status;
  known.size = given->size;
  memcpy(static_cast<void *>(given), &known,
         std::min(given->size, sizeof(known)));
  return rt::Status::ok();
}

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_CONVERT_H
