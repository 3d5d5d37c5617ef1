//===- MockTarget.cpp - A target of a test --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MockTarget.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::mock;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

//===----------------------------------------------------------------------===//
// The config
//===----------------------------------------------------------------------===//

namespace qcc::mock {
struct ConfigStorage : AttributeStorage {
  using KeyTy = std::tuple<StringRef, int64_t, kernel::ConfigSource>;
  explicit ConfigStorage(const KeyTy &key) : key(key) {}
  bool operator==(const KeyTy &other) const { return key == other; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(std::get<0>(key), std::get<1>(key),
                              static_cast<int>(std::get<2>(key)));
  }
  static ConfigStorage *construct(AttributeStorageAllocator &allocator,
                                  const KeyTy &key) {
    KeyTy copied{allocator.copyInto(std::get<0>(key)), std::get<1>(key),
                 std::get<2>(key)};
    return new (allocator.allocate<ConfigStorage>()) ConfigStorage(copied);
  }
  KeyTy key;
};
} // namespace qcc::mock

ConfigAttr ConfigAttr::get(MLIRContext *context, StringRef strategy,
                           int64_t columns, kernel::ConfigSource source) {
  return Base::get(context, ConfigStorage::KeyTy(strategy, columns, source));
}
StringRef ConfigAttr::getStrategyName() const {
  return std::get<0>(getImpl()->key);
}
int64_t ConfigAttr::getColumns() const { return std::get<1>(getImpl()->key); }
kernel::ConfigSource ConfigAttr::getSource() const {
  return std::get<2>(getImpl()->key);
}
LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  return get(getContext(), getStrategyName(), getColumns(), source);
}
std::string ConfigAttr::describe() const {
  return std::to_string(getColumns()) + " columns";
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

namespace {
struct AbacusNames : TargetDialectInterface {
  using TargetDialectInterface::TargetDialectInterface;
  llvm::Expected<TargetRef> find(StringRef name) const override {
    return name == "abacus" ? std::make_shared<AbacusTarget>() : nullptr;
  }
};
} // namespace

AbacusDialect::AbacusDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<AbacusDialect>()) {
  addAttributes<ConfigAttr>();
  addInterfaces<AbacusNames>();
}

Attribute AbacusDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef mnemonic;
  std::string strategy, source;
  int64_t columns;
  if (parser.parseKeyword(&mnemonic) || parser.parseLess() ||
      parser.parseString(&strategy) || parser.parseComma() ||
      parser.parseInteger(columns) || parser.parseComma() ||
      parser.parseString(&source) || parser.parseGreater())
    return {};
  auto known = kernel::symbolizeConfigSource(source);
  if (!known) {
    parser.emitError(parser.getNameLoc(), "no source of configs");
    return {};
  }
  return ConfigAttr::get(getContext(), strategy, columns, *known);
}

void AbacusDialect::printAttribute(Attribute attribute,
                                   DialectAsmPrinter &printer) const {
  auto config = cast<ConfigAttr>(attribute);
  printer << "config<\"" << config.getStrategyName() << "\", "
          << config.getColumns() << ", \""
          << stringifyConfigSource(config.getSource()) << "\">";
}

//===----------------------------------------------------------------------===//
// The strategies
//===----------------------------------------------------------------------===//

namespace {
class Abacus : public Strategy {
public:
  std::optional<std::string>
  refuse(ContractOp op, LoweringConfigAttrInterface config) const override {
    if (refuseShape(op))
      return "lowering_config needs an even K; pad it";
    if (cast<ConfigAttr>(config).getColumns() > 8)
      return "lowering_config asks for more than 8 columns; ask for less";
    return std::nullopt;
  }
  SmallVector<Candidate> list(ContractOp op) const override {
    SmallVector<Candidate> candidates;
    for (int64_t columns : {8, 4, 2})
      if (!refuseShape(op)) {
        auto config = ConfigAttr::get(op.getContext(), getName(), columns,
                                      kernel::ConfigSource::Model);
        candidates.push_back({config, cost(op, config), getName().str()});
      }
    return candidates;
  }
  Cost cost(ContractOp, LoweringConfigAttrInterface config) const override {
    double time = timeOfBead() / double(cast<ConfigAttr>(config).getColumns());
    return {time, 0.5 / time};
  }
  LogicalResult emit(RewriterBase &, ContractOp op) const override {
    return op.emitError("an abacus computes by hand");
  }

protected:
  virtual bool refuseShape(ContractOp op) const { return false; }
  virtual double timeOfBead() const = 0;
};

class SlowAbacus : public Abacus {
  StringRef getName() const override { return "slow"; }
  double timeOfBead() const override { return 10; }
  std::optional<Packing> packing(ContractOp,
                                 LoweringConfigAttrInterface) const override {
    return std::nullopt;
  }
};

class FastAbacus : public Abacus {
  StringRef getName() const override { return "fast"; }
  double timeOfBead() const override { return 8; }
  bool refuseShape(ContractOp op) const override {
    return op.getReductionSize() % 2 != 0;
  }
  std::optional<Packing>
  packing(ContractOp, LoweringConfigAttrInterface config) const override {
    return Packing{cast<ConfigAttr>(config).getColumns(), 2, 2, 0};
  }
};
} // namespace

AbacusTarget::AbacusTarget() : Target("abacus") {
  strategies.push_back(std::make_unique<SlowAbacus>());
  strategies.push_back(std::make_unique<FastAbacus>());
}

std::vector<Alternative> AbacusTarget::listAlternatives(ContractOp op) const {
  if (op.getLoweringConfigAttr().getStrategyName() == "fast")
    return {};
  return {{"computer", "there is none"}};
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
AbacusTarget::createTargetMachine(Effort) const {
  return llvm::createStringError("people count beads");
}
