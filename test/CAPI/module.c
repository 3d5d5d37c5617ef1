/*===- module.c - Loading and inspecting artifacts
-------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/module %capi/program.so %t.so %capi/other.so

#include "Check.h"

#include <fcntl.h>
#include <unistd.h>

static void inspectEntries(qccModule module) {
  static const char *const names[] = {"main", "increment", "refuse",
                                      "quantized", "nothing"};
  CHECK(qccModuleGetNumEntries(module) == 5);
  for (size_t i = 0; i < 5; ++i)
    CHECK(strcmp(qccModuleGetEntryName(module, i), names[i]) == 0);
  CHECK(qccModuleGetEntryName(module, 5) == NULL);

  qccEntryInfo entry = qccEntryInfoInit();
  CHECK_OK(qccModuleGetEntry(module, NULL, &entry));
  CHECK(strcmp(entry.name, "main") == 0);
  CHECK(entry.numArguments == 2 && entry.numResults == 1);
  CHECK(entry.numSymbols == 1 && entry.numSteps == 2);
  CHECK_OK(qccModuleGetEntry(module, "nothing", &entry));
  CHECK(entry.numArguments == 0 && entry.numResults == 0);
  CHECK_FAILS(qccModuleGetEntry(module, "other", &entry), QCC_STATUS_NOT_FOUND,
              "the program has no entry 'other'; it has: main, increment, "
              "refuse, quantized, nothing");
}

static void inspectTensors(qccModule module) {
  qccTensorInfo info = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, "main", 0, &info));
  CHECK(strcmp(info.name, "x") == 0);
  CHECK(info.dtype.code == kDLFloat && info.dtype.bits == 32);
  CHECK(info.dtype.lanes == 1);
  CHECK(info.rank == 2 && info.dims[0] == -1 && info.dims[1] == 4);
  CHECK(info.quantization == NULL && info.inPlaceArgument == -1);
  CHECK_OK(qccModuleGetResult(module, NULL, 0, &info));
  CHECK(strcmp(info.name, "") == 0);
  CHECK(info.dims[0] == -1 && info.inPlaceArgument == -1);
  CHECK_OK(qccModuleGetResult(module, "increment", 0, &info));
  CHECK(info.inPlaceArgument == 0);

  CHECK_OK(qccModuleGetArgument(module, "quantized", 0, &info));
  CHECK(info.quantization && info.quantization->axis == -1);
  CHECK(info.quantization->count == 1);
  CHECK(info.quantization->scales[0] == 0.5f);
  CHECK(info.quantization->zeroPoints[0] == 128);
  CHECK_OK(qccModuleGetResult(module, "quantized", 0, &info));
  CHECK(info.quantization && info.quantization->axis == 1);
  CHECK(info.quantization->count == 3);
  CHECK(info.quantization->scales[2] == 4.0f);

  CHECK_FAILS(qccModuleGetArgument(module, NULL, 2, &info),
              QCC_STATUS_INVALID_ARGUMENT,
              "there is no argument 2; the entry has 2");
  CHECK_FAILS(qccModuleGetResult(module, NULL, 1, &info),
              QCC_STATUS_INVALID_ARGUMENT,
              "there is no result 1; the entry has 1");
  CHECK_FAILS(qccModuleGetResult(module, "other", 0, &info),
              QCC_STATUS_NOT_FOUND, "no entry 'other'");
}

static void inspectVariants(qccModule module) {
  qccVariantInfo variant = qccVariantInfoInit();
  CHECK(qccModuleGetNumVariants(module) == 2);
  CHECK_OK(qccModuleGetVariant(module, 0, &variant));
  CHECK(strcmp(variant.target, "x86-64") == 0 && variant.chosen);
  CHECK(strcmp(variant.features, "sse2") == 0);
  CHECK(strcmp(variant.refusal, "") == 0);
  CHECK_OK(qccModuleGetVariant(module, 1, &variant));
  CHECK(!variant.chosen && strstr(variant.refusal, "needs warp-drive"));
  CHECK_FAILS(qccModuleGetVariant(module, 2, &variant),
              QCC_STATUS_INVALID_ARGUMENT,
              "there is no variant 2; the artifact has 2");
  CHECK(strcmp(qccModuleGetProducer(module), "by hand") == 0);
}

static void inspectNames(qccModule module) {
  qccTensorInfo info = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, "main", 0, &info));
  CHECK(strcmp(info.dimNames[0], "batch") == 0);
  CHECK(strcmp(info.dimNames[1], "") == 0);
  CHECK_OK(qccModuleGetArgument(module, "main", 1, &info));
  CHECK(strcmp(info.dimNames[0], "") == 0);

  qccModuleInfo about = qccModuleInfoInit();
  CHECK_OK(qccModuleGetInfo(module, &about));
  CHECK(about.artifactVersion == qccGetArtifactVersion());
  CHECK(about.artifactMinorVersion == qccGetArtifactMinorVersion());
  CHECK(about.numMetadata == 2);
  const char *key = NULL, *value = NULL;
  CHECK_OK(qccModuleGetMetadata(module, 1, &key, &value));
  CHECK(strcmp(key, "labels") == 0 && strcmp(value, "cat,dog") == 0);
  CHECK(qccModuleFindMetadata(module, "labels") == value);
  CHECK(qccModuleFindMetadata(module, "label") == NULL);
  CHECK(qccModuleFindMetadata(module, NULL) == NULL);
  CHECK(qccModuleFindMetadata(NULL, "labels") == NULL);
  CHECK_FAILS(qccModuleGetMetadata(module, 2, &key, &value),
              QCC_STATUS_INVALID_ARGUMENT,
              "there is no pair 2 of metadata; the artifact has 2");
  CHECK_FAILS(qccModuleGetMetadata(module, 0, NULL, &value),
              QCC_STATUS_INVALID_ARGUMENT,
              "the place of the key is a null pointer");
  CHECK_FAILS(qccModuleGetInfo(NULL, &about), QCC_STATUS_INVALID_ARGUMENT,
              "the module is a null pointer");
}

/// A caller that was compiled against fewer or more fields.
static void sizesOfStructures(qccModule module) {
  qccEntryInfo entry = qccEntryInfoInit();
  entry.size = offsetof(qccEntryInfo, numResults);
  entry.numResults = 77;
  CHECK_OK(qccModuleGetEntry(module, NULL, &entry));
  CHECK(entry.numArguments == 2 && entry.numResults == 77);
  CHECK(entry.size == offsetof(qccEntryInfo, numResults));
  entry.size = 0;
  CHECK_FAILS(qccModuleGetEntry(module, NULL, &entry),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 0");
  CHECK_FAILS(qccModuleGetEntry(module, NULL, NULL),
              QCC_STATUS_INVALID_ARGUMENT,
              "the structure to fill is a null pointer");

  struct {
    qccContextOptions known;
    size_t unknown;
  } options = {qccContextOptionsInit(), 0};
  options.known.size = sizeof(options);
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, &options.known, &context));
  qccContextDestroy(context);
  options.unknown = 1;
  CHECK_FAILS(qccContextCreate(module, NULL, &options.known, &context),
              QCC_STATUS_UNSUPPORTED,
              "an option is set that this version of the library does not "
              "have");
}

static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  static char bytes[1 << 20];
  *size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
  if (file)
    fclose(file);
  return bytes;
}

static void loadWays(const char *path, const char *damagedPath) {
  size_t size = 0;
  char *bytes = readFile(path, &size);
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadMemory(bytes, size, NULL, &module));
  CHECK(qccModuleGetNumEntries(module) == 5);
  qccModuleDestroy(module);

  qccModuleOptions options = qccModuleOptionsInit();
  options.variant = "x86-64";
  module = NULL;
  CHECK_OK(qccModuleLoadFile(path, &options, &module));
  qccModuleDestroy(module);
  module = NULL;
  options.variant = "of-the-future";
  CHECK_FAILS(qccModuleLoadFile(path, &options, &module),
              QCC_STATUS_UNSUPPORTED, "needs warp-drive");
  options.variant = "68000";
  CHECK_FAILS(qccModuleLoadFile(path, &options, &module), QCC_STATUS_NOT_FOUND,
              "it has: x86-64, of-the-future");

  options = qccModuleOptionsInit();
  options.weightPages = QCC_WEIGHT_PAGES_HUGE;
  CHECK_OK(qccModuleLoadFile(path, &options, &module));
  qccModuleDestroy(module);
  module = NULL;
  options.weightPages = QCC_WEIGHT_PAGES_FILE;
  CHECK_OK(qccModuleLoadFile(path, &options, &module));
  qccModuleDestroy(module);
  module = NULL;
  options.weightPages = 3;
  CHECK_FAILS(qccModuleLoadFile(path, &options, &module),
              QCC_STATUS_INVALID_ARGUMENT,
              "weightPages is 3; choose one of qccWeightPages");

  CHECK_FAILS(qccModuleLoadFile("/no/such/model.so", NULL, &module),
              QCC_STATUS_NOT_FOUND, "/no/such/model.so: ");
  CHECK_FAILS(qccModuleLoadFile("/", NULL, &module),
              QCC_STATUS_INVALID_ARGUMENT, "this is no artifact of qcc");
  CHECK_FAILS(qccModuleLoadMemory("text", 4, NULL, &module), QCC_STATUS_CORRUPT,
              "the artifact in memory: ");
  CHECK_FAILS(qccModuleLoadMemory(bytes, size / 2, NULL, &module),
              QCC_STATUS_CORRUPT, "the artifact in memory: ");
  bytes[size / 2] ^= 1;
  FILE *file = fopen(damagedPath, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  CHECK_FAILS(qccModuleLoadFile(damagedPath, NULL, &module), QCC_STATUS_CORRUPT,
              "do not match their hash");
  CHECK(module == NULL);
}

static void loadDescriptor(const char *path) {
  qccModule module = NULL;
  int file = open(path, O_RDONLY);
  CHECK(file >= 0 && lseek(file, 100, SEEK_SET) == 100);
  CHECK_OK(qccModuleLoadDescriptor(file, NULL, &module));
  CHECK(lseek(file, 0, SEEK_CUR) == 100);
  CHECK(close(file) == 0);
  CHECK(qccModuleGetNumEntries(module) == 5);
  qccModuleDestroy(module);

  module = NULL;
  CHECK_FAILS(qccModuleLoadDescriptor(-1, NULL, &module),
              QCC_STATUS_INVALID_ARGUMENT,
              "file descriptor -1: the descriptor -1 is not that of an open "
              "file");
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK_FAILS(qccModuleLoadDescriptor(ends[0], NULL, &module),
              QCC_STATUS_INVALID_ARGUMENT, "it is a device, not a file");
  qccModuleOptions options = qccModuleOptionsInit();
  options.flags = QCC_MODULE_PRIVATE_COPY;
  CHECK_FAILS(qccModuleLoadDescriptor(ends[0], &options, &module),
              QCC_STATUS_INVALID_ARGUMENT, "it is a device, not a file");
  options.flags = 1u << 31;
  CHECK_FAILS(qccModuleLoadDescriptor(ends[0], &options, &module),
              QCC_STATUS_UNSUPPORTED, "a flag is set");
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void copyOver(const char *from, const char *to) {
  size_t size = 0;
  char *bytes = readFile(from, &size);
  FILE *file = fopen(to, "r+b");
  if (!file)
    file = fopen(to, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  CHECK(truncate(to, size) == 0);
}

/// The file is overwritten, in place, while it is loaded.
static void privateCopy(const char *path, const char *place,
                        const char *other) {
  qccModuleOptions options = qccModuleOptionsInit();
  options.flags = QCC_MODULE_PRIVATE_COPY;
  qccModule first = NULL, second = NULL;
  copyOver(path, place);
  CHECK_OK(qccModuleLoadFile(place, &options, &first));
  copyOver(other, place);
  CHECK_OK(qccModuleLoadFile(place, &options, &second));
  CHECK(truncate(place, 0) == 0);
  CHECK(increment(first) == 1);
  CHECK(increment(second) == 2);
  qccModuleDestroy(first);
  qccModuleDestroy(second);
}

int main(int argc, char **argv) {
  qccModule module = loadProgram(argc, argv);
  inspectEntries(module);
  inspectTensors(module);
  inspectVariants(module);
  inspectNames(module);
  sizesOfStructures(module);
  qccModuleDestroy(module);
  loadWays(argv[1], argv[2]);
  loadDescriptor(argv[1]);
  privateCopy(argv[1], argv[2], argv[3]);
  return finishTest();
}
