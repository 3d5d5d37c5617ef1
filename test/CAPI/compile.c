/*===- compile.c - Compiling from C
----------------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: qcc tune %S/../Driver/Inputs/linear.mlir --weights=random:7 --dim=3 \
// RUN:   --threads=1 --mcpu=x86-64-v3 --candidates=1 --db=%t/tuned.json
// RUN: %capi/compile %t %S/../Driver/Inputs/linear.mlir
// REQUIRES: compiler, x86-64-v3

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <pthread.h>
#include <unistd.h>

static const char program[] =
    "func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)\n"
    "    -> tensor<?x4xf32> {\n"
    "  %z = arith.addf %x, %y : tensor<?x4xf32>\n"
    "  return %z : tensor<?x4xf32>\n"
    "}\n";

static qccStatus compileProgram(const char *text,
                                const qccCompileOptions *options,
                                qccArtifact *artifact) {
  return qccCompileText(text, strlen(text), options, artifact);
}

/// Runs main of the program; counts wrong elements.
static int runProgram(qccModule module) {
  float x[3][4], y[3][4], z[3][4];
  for (int i = 0; i < 12; ++i) {
    x[i / 4][i % 4] = (float)i;
    y[i / 4][i % 4] = (float)(100 * i);
    z[i / 4][i % 4] = -1;
  }
  int64_t shape[2] = {3, 4};
  DLTensor xs = makeTensor(x, kDLFloat, 32, 2, shape);
  DLTensor ys = makeTensor(y, kDLFloat, 32, 2, shape);
  DLTensor zs = makeTensor(z, kDLFloat, 32, 2, shape);
  DLTensor *arguments[2] = {&xs, &ys}, *results[1] = {&zs};
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, NULL, NULL, &context));
  CHECK_OK(qccContextRun(context, arguments, 2, results, 1));
  qccContextDestroy(context);
  int wrong = 0;
  for (int i = 0; i < 12; ++i)
    wrong += z[i / 4][i % 4] != (float)(101 * i);
  return wrong;
}

static void textToMemory(void) {
  qccArtifact artifact = NULL;
  CHECK_OK(compileProgram(program, NULL, &artifact));
  CHECK(qccArtifactGetSize(artifact) > 0);
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact); // The module has a copy.
  CHECK(strstr(qccModuleGetProducer(module), "qcc ") != NULL);
  CHECK(runProgram(module) == 0);
  qccModuleDestroy(module);
}

static void fileToFile(const char *folder, const char *source) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = "x86-64-v3";
  options.weights = "random:7";
  qccArtifact artifact = NULL;
  CHECK_OK(qccCompileFile(source, &options, &artifact));
  char path[4096];
  snprintf(path, sizeof(path), "%s/linear.so", folder);
  CHECK_OK(qccArtifactWriteFile(artifact, path));
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadFile(path, NULL, &module));
  qccTensorInfo info = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, "linear", 0, &info));
  CHECK(info.quantization && info.quantization->scales[0] == 0.05f);
  qccModuleDestroy(module);

  snprintf(path, sizeof(path), "%s/no/such/folder/linear.so", folder);
  CHECK_FAILS(qccArtifactWriteFile(artifact, path), QCC_STATUS_IO_ERROR,
              "No such file");
  qccArtifactDestroy(artifact);
}

/// Locations name tensors, and equal numbers are equal dimensions.
static void namesAndDimensions(void) {
  static const char program[] =
      "module attributes {qcc.metadata = {author = \"me\"}} {\n"
      "func.func @main(%x: tensor<?x?xf32> {qcc.dim_names = [\"batch\", "
      "\"\"]} loc(\"images\"), %b: tensor<4xf32>)\n"
      "    -> (tensor<?x?xf32>, tensor<?x2xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %n = tensor.dim %x, %c0 : tensor<?x?xf32>\n"
      "  %y = arith.addf %x, %x : tensor<?x?xf32> loc(\"logits\")\n"
      "  %z = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]\n"
      "      : tensor<?x?xf32> to tensor<?x2xf32>\n"
      "  return %y, %z : tensor<?x?xf32>, tensor<?x2xf32>\n"
      "}}\n";
  qccArtifact artifact = NULL;
  qccModule module = NULL;
  CHECK_OK(compileProgram(program, NULL, &artifact));
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact);
  qccTensorInfo x = qccTensorInfoInit(), b = x, y = x, z = x;
  CHECK_OK(qccModuleGetArgument(module, NULL, 0, &x));
  CHECK_OK(qccModuleGetArgument(module, NULL, 1, &b));
  CHECK_OK(qccModuleGetResult(module, NULL, 0, &y));
  CHECK_OK(qccModuleGetResult(module, NULL, 1, &z));
  CHECK(strcmp(x.name, "images") == 0 && strcmp(b.name, "") == 0);
  CHECK(strcmp(y.name, "logits") == 0 && strcmp(z.name, "") == 0);
  CHECK(x.dims[0] == -1 && x.dims[1] == -2);
  CHECK(y.dims[0] == -1 && y.dims[1] == -2);
  CHECK(z.dims[0] == -1 && z.dims[1] == 2);
  CHECK(strcmp(x.dimNames[0], "batch") == 0 && strcmp(x.dimNames[1], "") == 0);
  CHECK(strcmp(z.dimNames[0], "batch") == 0 && strcmp(z.dimNames[1], "") == 0);
  CHECK(strcmp(b.dimNames[0], "") == 0);
  const char *author = qccModuleFindMetadata(module, "author");
  CHECK(author && strcmp(author, "me") == 0);
  qccModuleDestroy(module);
}

static void severalTargets(void) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = "sapphirerapids, x86-64-v3,x86-64-v3";
  qccArtifact artifact = NULL;
  CHECK_OK(compileProgram(program, &options, &artifact));
  qccModuleOptions choice = qccModuleOptionsInit();
  choice.variant = "x86-64-v3";
  qccModule module = NULL;
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), &choice, &module));
  CHECK(qccModuleGetNumVariants(module) == 2);
  qccVariantInfo variant = qccVariantInfoInit();
  CHECK_OK(qccModuleGetVariant(module, 1, &variant));
  CHECK(strcmp(variant.target, "x86-64-v3") == 0 && variant.chosen);
  CHECK(runProgram(module) == 0);
  qccModuleDestroy(module);
  qccArtifactDestroy(artifact);
}

static void explanations(void) {
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = "x86-64-v3";
  qccArtifact artifact = NULL;
  CHECK_OK(compileProgram(program, &options, &artifact));
  CHECK(strcmp(qccArtifactGetExplanation(artifact), "") == 0);
  size_t size = qccArtifactGetSize(artifact);
  qccArtifactDestroy(artifact);
  options.flags = QCC_COMPILE_EXPLAIN;
  CHECK_OK(compileProgram(program, &options, &artifact));
  const char *text = qccArtifactGetExplanation(artifact);
  CHECK(text[0] == '{' && text[strlen(text) - 1] == '}');
  CHECK(strstr(text, "\"target\":\"x86-64-v3\"") != NULL);
  CHECK(strstr(text, "\"step\":\"main.step0.") != NULL);
  // It is no part of the artifact.
  CHECK(qccArtifactGetSize(artifact) == size);
  qccArtifactDestroy(artifact);
  options.target = "x86-64-v3,cascadelake";
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "compile for one at a time");
}

/*===----------------------------------------------------------------------===*\
|* Failures
\*===----------------------------------------------------------------------===*/

typedef struct Seen {
  int errors, warnings, remarks, notes;
  int32_t line;
  char text[512];
} Seen;

static void see(void *self, const qccDiagnostic *diagnostic) {
  Seen *seen = self;
  CHECK(diagnostic->size >= sizeof(qccDiagnostic));
  seen->errors += diagnostic->severity == QCC_SEVERITY_ERROR;
  seen->warnings += diagnostic->severity == QCC_SEVERITY_WARNING;
  seen->remarks += diagnostic->severity == QCC_SEVERITY_REMARK;
  seen->notes += diagnostic->severity == QCC_SEVERITY_NOTE;
  seen->line = diagnostic->line;
  snprintf(seen->text, sizeof(seen->text), "%s|%s", diagnostic->file,
           diagnostic->message);
}

static void rejectedPrograms(void) {
  static const char syntax[] = "func.func @main(\n  %x: tensor<4xf3>)";
  static const char unknown[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = qnn.convolve %x : tensor<4xf32>\n"
      "  return %y : tensor<4xf32>\n"
      "}\n";
  static const char unsupported[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = math.cbrt %x : tensor<4xf32>\n"
      "  return %y : tensor<4xf32>\n"
      "}\n";
  Seen seen;
  memset(&seen, 0, sizeof(seen));
  qccCompileOptions options = qccCompileOptionsInit();
  qccDiagnosticHook hook = qccDiagnosticHookInit();
  hook.context = &seen;
  hook.handle = see;
  options.diagnostics = &hook;
  qccArtifact artifact = NULL;
  CHECK_FAILS(compileProgram(syntax, &options, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "<memory>:2:");
  CHECK(seen.errors == 1 && seen.line == 2);
  CHECK(strncmp(seen.text, "<memory>|", 9) == 0);

  options.name = "model.mlir";
  CHECK_FAILS(compileProgram(unknown, &options, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "model.mlir:2:");
  CHECK(seen.errors == 2);
  CHECK_FAILS(compileProgram(unsupported, NULL, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "error: ");
  CHECK_FAILS(qccCompileText(unknown, 0, &options, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "");
  CHECK_FAILS(qccCompileText("\0\1\2\3", 4, NULL, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "error: ");
  // The length counts, not a null character.
  CHECK_OK(qccCompileText(program, sizeof(program) - 1, NULL, &artifact));
  qccArtifactDestroy(artifact);
}

/// Options as in the headers of version 1.1, which had the hook by value.
typedef struct OldCompileOptions {
  size_t size;
  const char *target, *weights, *name;
  struct {
    void *context;
    void (*handle)(void *context, const qccDiagnostic *diagnostic);
  } diagnostics;
  uint32_t flags;
  const char *tuning;
} OldCompileOptions;

_Static_assert(offsetof(qccCompileOptions, diagnosticsOfVersion11) ==
                       offsetof(OldCompileOptions, diagnostics) &&
                   offsetof(qccCompileOptions, flags) ==
                       offsetof(OldCompileOptions, flags) &&
                   offsetof(qccCompileOptions, tuning) ==
                       offsetof(OldCompileOptions, tuning),
               "fields keep their places for ever");

static void hooks(void) {
  static const char nonsense[] = "func.func @main(\n";
  Seen seen;
  memset(&seen, 0, sizeof(seen));
  OldCompileOptions old;
  memset(&old, 0, sizeof(old));
  old.size = sizeof(old);
  old.diagnostics.context = &seen;
  old.diagnostics.handle = see;
  qccArtifact artifact = NULL;
  CHECK_FAILS(compileProgram(nonsense, (const qccCompileOptions *)(void *)&old,
                             &artifact),
              QCC_STATUS_INVALID_PROGRAM, "error: ");
  CHECK(seen.errors == 1);
  qccDiagnosticHook hook = qccDiagnosticHookInit();
  qccCompileOptions options = qccCompileOptionsInit();
  options.diagnostics = &hook;
  CHECK_FAILS(compileProgram(nonsense, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "diagnostics is given, but its function is a null pointer");
  old.diagnostics.handle = NULL;
  CHECK_FAILS(compileProgram(nonsense, (const qccCompileOptions *)(void *)&old,
                             &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "the hook of diagnostics has a context, but its function");
  hook.size = 3;
  CHECK_FAILS(compileProgram(nonsense, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 3");
}

/// A size for a dimension of an ONNX model: relu of a vector of `n` elements.
static void namedSizes(void) {
  static const char model[] =
      "\010\010\072\071\012\020\012\001\170\022\001\171\032\000\042\004"
      "\122\145\154\165\072\000\022\001\147\132\020\012\001\170\022\013"
      "\012\011\010\001\022\005\012\003\022\001\156\142\020\012\001\171"
      "\022\013\012\011\010\001\022\005\012\003\022\001\156\102\004\012"
      "\000\020\021";
  qccNamedSize dims[2] = {{sizeof(qccNamedSize), "n", 3},
                          {sizeof(qccNamedSize), "m", -1}};
  qccCompileOptions options = qccCompileOptionsInit();
  options.dims = dims;
  options.numDims = 1;
  qccArtifact artifact = NULL;
  qccModule module = NULL;
  CHECK_OK(qccCompileText(model, sizeof(model) - 1, &options, &artifact));
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact);
  artifact = NULL;
  qccTensorInfo x = qccTensorInfoInit();
  CHECK_OK(qccModuleGetArgument(module, NULL, 0, &x));
  CHECK(x.rank == 1 && x.dims[0] == 3);
  qccModuleDestroy(module);

  options.numDims = 2;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "dims[1]: the size of 'm' is negative");
  dims[1].name = "n";
  dims[1].value = 4;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "dims[1]: there is another one of the name 'n'");
  dims[1].name = NULL;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "dims[1]: it has no name");
  options.numDims = 1;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_PROGRAM, "which only an ONNX model can have");
  options.dims = NULL;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "dims is a null pointer");
  options.numDims = 0;

  int64_t sizes[2] = {5, -1};
  qccNamedShape shapes[2] = {{sizeof(qccNamedShape), "x", 1, sizes},
                             {sizeof(qccNamedShape), "z", 2, sizes}};
  options.shapes = shapes;
  options.numShapes = 1;
  CHECK_OK(qccCompileText(model, sizeof(model) - 1, &options, &artifact));
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact);
  artifact = NULL;
  CHECK_OK(qccModuleGetArgument(module, NULL, 0, &x));
  CHECK(x.rank == 1 && x.dims[0] == 5);
  qccModuleDestroy(module);
  options.numShapes = 2;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "shapes[1]: a size of 'z' is negative");
  shapes[1].dims = NULL;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "shapes[1]: its dims are not there");
  options.numShapes = 0;

  float values[3] = {-1, 0, 2};
  int64_t three = 3;
  DLTensor tensor = {values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1},
                     &three, NULL,        0};
  qccWeightTensor constant = qccWeightTensorInit();
  constant.name = "x";
  constant.tensor = &tensor;
  options.constants = &constant;
  options.numConstants = 1;
  CHECK_OK(qccCompileText(model, sizeof(model) - 1, &options, &artifact));
  CHECK_OK(qccModuleLoadMemory(qccArtifactGetData(artifact),
                               qccArtifactGetSize(artifact), NULL, &module));
  qccArtifactDestroy(artifact);
  artifact = NULL;
  qccEntryInfo entry = qccEntryInfoInit();
  CHECK_OK(qccModuleGetEntry(module, 0, &entry));
  CHECK(entry.numArguments == 0 && entry.numResults == 1);
  qccModuleDestroy(module);
  constant.tensor = NULL;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT,
              "constants[0]: its tensor is not there");
}

static void wrongOptions(void) {
  qccCompileOptions options = qccCompileOptionsInit();
  qccArtifact artifact = NULL;
  options.target = "i860";
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "unknown processor 'i860'");
  options.target = "x86-64-v3,,native";
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "no name between two commas");
  options.target = "nehalem";
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "needs at least x86-64-v3");
  options.target = NULL;
  options.weights = "weights.txt";
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "weights.txt");
  options.weights = NULL;
  options.flags = 1u << 31;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_UNSUPPORTED, "a flag is set");
  options.flags = QCC_COMPILE_KEEP_SIGNALS;
  CHECK_OK(compileProgram(program, &options, &artifact));
  qccArtifactDestroy(artifact);
  artifact = NULL;
  options.size = 1;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "`size` of a structure is 1");

  CHECK_FAILS(qccCompileFile("/no/such/model.mlir", NULL, &artifact),
              QCC_STATUS_NOT_FOUND, "/no/such/model.mlir: ");
  CHECK_FAILS(qccCompileFile("/", NULL, &artifact), QCC_STATUS_INVALID_ARGUMENT,
              "this is a folder; name a file in it");
  CHECK_FAILS(qccCompileFile(NULL, NULL, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "the path is a null pointer");
  CHECK_FAILS(qccCompileFile("x", NULL, NULL), QCC_STATUS_INVALID_ARGUMENT,
              "the handle of the artifact is a null pointer");
  CHECK_FAILS(qccCompileText(NULL, 0, NULL, &artifact),
              QCC_STATUS_INVALID_ARGUMENT, "the text is a null pointer");
  CHECK_FAILS(qccCompileText("", 0, NULL, NULL), QCC_STATUS_INVALID_ARGUMENT,
              "the handle of the artifact is a null pointer");
  CHECK_FAILS(qccArtifactWriteFile(NULL, "x.so"), QCC_STATUS_INVALID_ARGUMENT,
              "the artifact is a null pointer");
  CHECK(qccArtifactGetData(NULL) == NULL && qccArtifactGetSize(NULL) == 0);
  qccArtifactDestroy(NULL);
  CHECK(artifact == NULL);
}

/// Compiles linear.mlir with a tuning database of that text, or with the file
/// as it is.
static Seen compileTuned(const char *folder, const char *name, const char *text,
                         const char *source) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  if (text) {
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
  }
  Seen seen;
  memset(&seen, 0, sizeof(seen));
  qccCompileOptions options = qccCompileOptionsInit();
  options.target = "x86-64-v3";
  options.weights = "random:7";
  options.tuning = path;
  qccDiagnosticHook hook = qccDiagnosticHookInit();
  hook.context = &seen;
  hook.handle = see;
  options.diagnostics = &hook;
  qccArtifact artifact = NULL;
  CHECK_OK(qccCompileFile(source, &options, &artifact));
  CHECK(qccArtifactGetSize(artifact) > 0);
  qccArtifactDestroy(artifact);
  return seen;
}

static void tuning(const char *folder, const char *source) {
  Seen seen = compileTuned(folder, "tuned.json", NULL, source);
  CHECK(seen.remarks == 0 && seen.warnings == 0);
  seen = compileTuned(
      folder, "empty.json",
      "{\"format\": \"qcc-tuning\", \"version\": 1, \"entries\": []}", source);
  CHECK(seen.remarks == 1 && seen.warnings == 0);
  CHECK(strstr(seen.text, "the tuning database has no config for 1 kernel"));
  seen = compileTuned(folder, "damaged.json", "{", source);
  CHECK(seen.remarks == 1 && seen.warnings == 1);

  qccCompileOptions options = qccCompileOptionsInit();
  options.tuning = "/no/such/db.json";
  qccArtifact artifact = NULL;
  CHECK_FAILS(compileProgram(program, &options, &artifact),
              QCC_STATUS_NOT_FOUND, "/no/such/db.json: ");
  CHECK(artifact == NULL);
}

/// Linking needs no file system.
static void noTemporaryFolder(void) {
  qccArtifact artifact = NULL;
  setenv("TMPDIR", "/no/such/folder", 1);
  CHECK_OK(compileProgram(program, NULL, &artifact));
  unsetenv("TMPDIR");
  qccArtifactDestroy(artifact);
}

/*===----------------------------------------------------------------------===*\
|* Threads
\*===----------------------------------------------------------------------===*/

static void *compileAndRun(void *wrong) {
  qccArtifact artifact = NULL;
  qccModule module = NULL;
  qccStatus status = compileProgram(program, NULL, &artifact);
  if (!status)
    status = qccModuleLoadMemory(qccArtifactGetData(artifact),
                                 qccArtifactGetSize(artifact), NULL, &module);
  *(int *)wrong = status ? 1 : runProgram(module);
  qccStatusDestroy(status);
  qccModuleDestroy(module);
  qccArtifactDestroy(artifact);
  return NULL;
}

static void manyThreads(void) {
  enum { callers = 4 };
  pthread_t threads[callers];
  int wrong[callers];
  for (int i = 0; i < callers; ++i)
    CHECK(pthread_create(&threads[i], NULL, compileAndRun, &wrong[i]) == 0);
  for (int i = 0; i < callers; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(wrong[i] == 0);
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  textToMemory();
  fileToFile(argv[1], argv[2]);
  namesAndDimensions();
  severalTargets();
  explanations();
  rejectedPrograms();
  hooks();
  namedSizes();
  wrongOptions();
  tuning(argv[1], argv[2]);
  noTemporaryFolder();
  manyThreads();
  return finishTest();
}
