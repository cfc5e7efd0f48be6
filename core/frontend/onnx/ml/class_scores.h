// SPDX-License-Identifier: Apache-2.0
/// Rows of features, scores of classes and their labels: shared by the models of the domain ai.onnx.ml. Where
/// its specification is silent they do as ONNX Runtime does.
#pragma once

#include "core/frontend/onnx/ml/labelled_import.h"

namespace nestwright::graph::onnx {

/// Input 0 as rows of features; a vector is one row. `type` is that of the result.
Value featureRows(NodeImport &node, const ImportedValues &inputs, ir::DataType type);
/// The size of the last axis, which must be known.
std::int64_t featuresOf(const NodeImport &node, Value x);
/// Numbers as a constant of that type and shape.
Value constantOf(NodeImport &node, const std::vector<double> &numbers, Ints shape, ir::DataType type);

/// Throws "onnx.unsupported" where a table of so many rows and columns, which a few numbers of a file may ask
/// for, would be too large.
void requireTable(const NodeImport &node, std::int64_t rows, std::int64_t columns);

/// The names of a model's classes: numbers, or text.
struct ClassLabels {
    Ints numbers;
    std::vector<std::string> texts;

    bool isText() const { return !texts.empty(); }
    std::size_t count() const { return isText() ? texts.size() : numbers.size(); }
};
ClassLabels classLabels(const NodeImport &node, std::string_view numbers, std::string_view texts);
/// The labels at these places, an integer for each row.
ImportedValue labelsAt(NodeImport &node, const ClassLabels &labels, Value places);

/// Class of each row, of two: the place 1 where `isSecond`, else 0.
Value placeOfTwo(NodeImport &node, Value isSecond);
/// The place of the largest score of each row.
Value largestPlace(NodeImport &node, Value scores);

/// The attribute post_transform; throws "onnx.unsupported" where it is none.
std::string scoreTransform(const NodeImport &node);
/// Scores of several classes, transformed.
Value transformed(NodeImport &node, Value scores, const std::string &transform);
/// One column of scores, which only PROBIT changes.
Value transformedColumn(NodeImport &node, Value score, const std::string &transform);

/// How the scores of two classes follow from one.
enum class SecondScore : std::uint8_t {
    Complement, ///< 1 - s, s
    Opposite,   ///< -s, s
    Mirrored,   ///< s, -s
};
/// Scores of both classes; LOGISTIC applies the logistic function to -s and to s.
Value bothScores(NodeImport &node, Value score, SecondScore form, const std::string &transform);

} // namespace nestwright::graph::onnx
