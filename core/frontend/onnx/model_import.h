// SPDX-License-Identifier: Apache-2.0
/// The import of one model, node by node.
#pragma once

#include "core/frontend/onnx/calls.h"
#include "core/frontend/onnx/file/size_expression.h"
#include "core/frontend/onnx/imported_value.h"
#include "core/frontend/onnx/importer.h"
#include "core/frontend/onnx/late/late_node.h"

#include <unordered_map>

namespace nestwright::graph::onnx {

/// The nodes in topological order, counting reads of graphs within them; otherwise in the order of the file.
/// Nodes of a cycle come last.
std::vector<const OnnxNode *> inOrder(const std::vector<OnnxNode> &nodes);

/// Throws support::UserError.
class ModelImport {
public:
    ModelImport(const OnnxModel &model, const ImportOptions &options)
        : m_model(model)
        , m_options(options)
        , m_sizes(model.inputs)
        , m_opset(model.opset)
    {
    }

    Imported run();
    /// Names of symbolic dimensions that are open so far.
    std::vector<std::string> symbolicSizes() const;

private:
    // importer.cpp: inputs, and nodes one by one
    void addInput(const OnnxValue &input);
    void addSequence(const OnnxValue &input);
    Value addTensor(const OnnxValue &input, const Data &data);
    ir::Expr sizeOf(const std::variant<std::int64_t, std::string> &dim, const OnnxValue &input,
                    std::size_t i);
    void define(const std::string &name, ImportedValue named);
    ImportedValue importedValueOf(const std::string &name, const std::string &reader);
    Value valueOf(const std::string &name, const std::string &reader);
    ir::Expr namedSize(const std::string &name);
    void addNode(const OnnxNode &node);
    void addOperator(const OnnxNode &node);
    void defineOutputs(const OnnxNode &node, const std::vector<ImportedValue> &results);
    std::vector<LateOutput> addLateSizes(Values &outputs, std::vector<std::string> &names) const;

    // inner_graphs.cpp and loops.cpp: nodes that hold graphs, or call functions
    void addBranches(const OnnxNode &node);
    std::optional<std::vector<ImportedValue>> joinedBranches(const OnnxNode &node, Value condition);
    std::optional<ImportedValue> chosen(const OnnxNode &node, Value condition, const ImportedValue &a,
                                        const ImportedValue &b);
    void requireKnownSizes(const OnnxNode &node, const Values &tensors) const;
    void addLoop(const OnnxNode &node);
    void addScan(const OnnxNode &node);
    /// Axes and directions of a Scan: of the inputs that it iterates over (`axes`, `backwards`), and of the
    /// outputs that its turns make.
    struct ScanForm {
        std::vector<std::int64_t> axes, backwards, madeAxes, madeBackwards;
    };
    std::vector<ImportedValue> scanned(const OnnxNode &node, std::vector<ImportedValue> state,
                                       const std::vector<ImportedValue> &rows, const ScanForm &form);
    void addSequenceMap(const OnnxNode &node);
    void addFlexAttention(const OnnxNode &node);
    void addCall(const OnnxNode &node, const OnnxFunction &function);
    std::vector<ImportedValue> resultsOf(const OnnxNode &node, const OnnxGraph &graph,
                                         const std::vector<ImportedValue> &inputs, const std::string &within);
    const OnnxGraph &graphOf(const OnnxNode &node, const char *name) const;
    std::vector<ImportedValue> inputsOf(const OnnxNode &node);
    ImportedValue joined(const OnnxNode &node, Values rows, std::int64_t axis, const LateNumber &count);
    ImportedValue noRows(const OnnxNode &node, Value like, std::int64_t axis);
    class Turns;
    void goOn(const OnnxNode &node, Turns &turns, const ImportedValue &condition);
    void carry(const OnnxNode &node, const Turns &turns, std::vector<ImportedValue> &state,
               const std::vector<ImportedValue> &results, std::size_t first);
    bool isTrue(const OnnxNode &node, const ImportedValue &condition);
    void countNodes(const OnnxNode &node, std::size_t more, std::int64_t times = 1);

    const OnnxModel &m_model;
    const ImportOptions &m_options;
    Builder m_builder;
    std::unordered_map<std::string, ImportedValue> m_values;
    /// Names of values, given to nodes in the end: constants without a name are counted (made_array).
    std::vector<std::pair<Value, std::string>> m_tensors;
    std::vector<std::string> m_defined; ///< names that the inner graph (or the model) being added defined
    SizeExpressions m_sizes;
    /// Values around the inner graph being added whose names it defines anew; null outside of one.
    std::vector<std::pair<std::string, ImportedValue>> *m_hidden = nullptr;
    std::map<std::string, ir::Var> m_symbols;
    std::int64_t m_opset;                      ///< of the model, or of the function that is being added
    std::vector<const OnnxFunction *> m_calls; ///< functions whose nodes are being added, outermost first
    std::vector<ImportedCall> m_imported;
    NarrowTypes m_narrowInputs, m_narrowResults;
    LateSizes m_late;
    std::size_t m_repeatedNodes = 0; ///< added by calls and loops
};

/// The name of one tensor of a sequence.
std::string elementName(const std::string &sequence, std::size_t i);
/// Keeps the narrow type of a tensor whose elements are held in a wider one.
void noteNarrow(NarrowTypes &types, const std::string &name, ir::DataType type);

} // namespace nestwright::graph::onnx
