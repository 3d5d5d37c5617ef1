/*===- signature.c - Artifacts that have to be signed ---------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The keys are the first test vector of RFC 8032. The second run finds files *|
|* in the place of libsodium that are no libraries.                           *|
|*                                                                            *|
|* Usage: signature UNSIGNED SIGNED [without-library]                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// REQUIRES: libsodium
// RUN: cp %capi/program.so %t.so
// RUN: %stamp-artifact %t.so \
// RUN:   9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
// RUN: %capi/signature %capi/program.so %t.so
// RUN: rm -rf %t.empty && mkdir %t.empty
// RUN: touch %t.empty/libsodium.so.23 %t.empty/libsodium.so.26
// RUN: env LD_LIBRARY_PATH=%t.empty \
// RUN:   %capi/signature %capi/program.so %t.so without-library

#include "Check.h"

#include <fcntl.h>
#include <unistd.h>

#define PUBLIC_KEY                                                             \
  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
#define OTHER_KEY                                                              \
  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"

static const char *unsignedPath, *signedPath;
static char bytes[1 << 20];
static size_t numBytes;

static qccStatus load(const char *path, const char *key, qccModule *module) {
  qccModuleOptions options = qccModuleOptionsInit();
  options.publicKey = key;
  return qccModuleLoadFile(path, &options, module);
}

/// `key`: that the module was loaded with.
static void take(qccModule module, const char *key) {
  CHECK(increment(module) == 1);
  qccModuleInfo info = qccModuleInfoInit();
  CHECK_OK(qccModuleGetInfo(module, &info));
  CHECK(strcmp(info.publicKey, key) == 0);
  qccModuleDestroy(module);
}

static void withLibrary(void) {
  qccModule module = NULL;
  CHECK_OK(load(signedPath, PUBLIC_KEY, &module));
  take(module, PUBLIC_KEY);
  module = NULL;
  CHECK_FAILS(load(signedPath, OTHER_KEY, &module), QCC_STATUS_UNTRUSTED,
              "its signature is not one of the key " OTHER_KEY);
  CHECK_FAILS(load(unsignedPath, PUBLIC_KEY, &module), QCC_STATUS_UNTRUSTED,
              "it has no signature, but a key was given");
  CHECK(strcmp(qccStatusCodeGetName(QCC_STATUS_UNTRUSTED), "untrusted") == 0);

  // From memory and from a descriptor.
  qccModuleOptions options = qccModuleOptionsInit();
  options.publicKey = PUBLIC_KEY;
  CHECK_OK(qccModuleLoadMemory(bytes, numBytes, &options, &module));
  take(module, PUBLIC_KEY);
  int file = open(signedPath, O_RDONLY | O_CLOEXEC);
  CHECK_OK(qccModuleLoadDescriptor(file, &options, &module));
  take(module, PUBLIC_KEY);
  close(file);
  options.publicKey = OTHER_KEY;
  module = NULL;
  CHECK_FAILS(qccModuleLoadMemory(bytes, numBytes, &options, &module),
              QCC_STATUS_UNTRUSTED, "the artifact in memory: its signature");

  // Damage is found first.
  bytes[numBytes - 1] ^= 1;
  options.publicKey = PUBLIC_KEY;
  CHECK_FAILS(qccModuleLoadMemory(bytes, numBytes, &options, &module),
              QCC_STATUS_CORRUPT, "do not match their hash");
  CHECK(module == NULL);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  unsignedPath = argv[1];
  signedPath = argv[2];
  FILE *file = fopen(signedPath, "rb");
  CHECK(file != NULL);
  numBytes = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
  if (file)
    fclose(file);
  qccModule module = NULL;
  CHECK_FAILS(load(signedPath, "", &module), QCC_STATUS_INVALID_ARGUMENT,
              "publicKey: a key has 64 hexadecimal digits");
  // Nobody asks for a signature.
  CHECK_OK(load(signedPath, NULL, &module));
  take(module, "");
  module = NULL;
  if (argc > 3)
    CHECK_FAILS(load(signedPath, PUBLIC_KEY, &module), QCC_STATUS_UNSUPPORTED,
                "signatures need libsodium, which cannot be opened");
  else
    withLibrary();
  CHECK(module == NULL);
  return finishTest();
}
