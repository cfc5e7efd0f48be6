// SPDX-License-Identifier: Apache-2.0
/// Optimised graph of a model's file.
#pragma once

#include "core/graph/output_labels.h"
#include "core/graph/passes/passes.h"
#include "core/graph/run/decoder.h"
#include "core/graph/run/late_outputs.h"
#include "core/graph/run/sequence_output.h"

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::frontend {

/// Sizes of symbolic dimensions by name.
using Sizes = std::map<std::string, std::int64_t>;

/// How a model is made into a program.
struct ModelSettings {
    Sizes sizes;                                               ///< given for symbolic dimensions
    int level = 3;                                             ///< of optimisation
    std::set<std::string, std::less<>> required{}, disabled{}; ///< passes
    target::Machine machine = target::tunedMachine();          ///< that it is made for

    bool operator==(const ModelSettings &) const = default;
};

/// Options of a graph.
struct GraphRequest {
    std::map<std::string, graph::Data> data{};                   ///< inputs that are known, by name
    std::map<std::string, std::vector<graph::Data>> sequences{}; ///< the same of inputs that are sequences
    /// Files of ONNX (.pb) for inputs, by name: they hold what the model says of the input.
    std::map<std::string, std::string> files{};
    std::vector<std::string> fetched{}; ///< nodes whose results become outputs, by name
    bool fetchesAll = false;            ///< every named node's; outputs then come in the order of the graph
    /// Opens a model to generate token by token with, with so many places for former tokens; sizes follow.
    std::optional<std::int64_t> decodingPlaces{};
    bool leavesSizesOpen = false; ///< symbolic dimensions that the settings do not name
    bool keepRecords = false;     ///< of the passes
    std::stop_token stop{};
};

struct ModelGraph {
    graph::Function function;
    target::Machine machine; ///< that the settings name
    std::vector<graph::GraphPassRecord> records;
    std::vector<std::string> outputs; ///< the model's own, by name
    graph::SequenceOutputs sequences{};
    std::map<std::string, graph::Data> data{}; ///< of the function's inputs, as the request gives them
    /// The narrow types of inputs, and of outputs and results of nodes, by name; the graph holds them in
    /// wider ones (ops::heldType).
    std::map<std::string, ir::DataType, std::less<>> narrowInputs{}, narrowResults{};
    std::optional<graph::DecodingRoles> decoding{}; ///< where the request asks for it
    std::vector<graph::LateOutput> lateOutputs{};
    graph::LabelTable labels{}; ///< of outputs that are text, or whose columns have names
};

/// Sizes to begin with for those that a model leaves open: one token behind 128 others for a model that
/// generates token by token, else 1. Empty where the model cannot be read.
Sizes suggestedSizes(const std::string &path);

/// Reads, imports and optimises. Errors: those of the three; "model.input" (no such input); "model.output"
/// (no such output or node); "model.open-sizes" when symbolic dimensions are left open (each location's label
/// is one); "decoding.inputs"; "model.not-built" where this program has no reader for ONNX.
support::Result<ModelGraph> openGraph(const std::string &path, const ModelSettings &settings,
                                      const GraphRequest &request = {});

} // namespace nestwright::frontend
