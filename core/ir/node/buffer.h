// SPDX-License-Identifier: Apache-2.0
/// Buffers, regions of them, and loads from them.
#pragma once

#include "core/ir/node/expr.h"

#include <vector>

namespace nestwright::ir {

/// A half-open interval [min, min + extent).
struct Range {
    Expr min, extent;
    static constexpr auto fields() { return std::tuple{&Range::min, &Range::extent}; }
};

/// The data of a buffer; held behind a Buffer.
struct BufferNode {
    std::string name;
    Var data; ///< the pointer; a fresh handle Var per buffer unless buffers alias
    DataType dtype;
    std::vector<Expr> shape;      ///< elements per dimension; empty for a scalar `B[()]`
    std::vector<Expr> strides;    ///< elements; empty means compact, row-major
    Expr elemOffset;              ///< elements from `data`; null means 0
    std::string scope = "global"; ///< storage scope: "global", "shared", "local", "wmma.matrix_a", …
    int alignment = 64;           ///< bytes
    int offsetFactor = 1;         ///< elemOffset is a multiple of this; 0 on purpose in match_buffer is 1
    std::vector<int> axisSeparators;
};

/// A buffer; identified by object, never by name.
class Buffer {
public:
    Buffer() = default;
    Buffer(std::string name, std::vector<Expr> shape, DataType dtype = DataType::float32(),
           std::string scope = "global");
    explicit Buffer(BufferNode node) : m_node(std::make_shared<const BufferNode>(std::move(node))) {}

    explicit operator bool() const { return m_node != nullptr; }
    const BufferNode *get() const { return m_node.get(); }
    const BufferNode *operator->() const { return m_node.get(); }
    const std::string &name() const { return m_node->name; }
    DataType dtype() const { return m_node->dtype; }
    const std::vector<Expr> &shape() const { return m_node->shape; }
    /// The type of an offset that is not given: that of the first dimension, int64 for a scalar.
    DataType indexType() const
    {
        return m_node->shape.empty() ? DataType::int64() : m_node->shape.front().dtype();
    }
    /// Whether elements begin at `data`, said in the way that a buffer without offset does.
    bool hasDefaultOffset() const;
    bool operator==(const Buffer &other) const { return m_node == other.m_node; }

private:
    std::shared_ptr<const BufferNode> m_node;
};

struct BufferHash {
    std::size_t operator()(const Buffer &buffer) const noexcept
    {
        return std::hash<const void *>()(buffer.get());
    }
};
template <class T> using BufferMap = std::unordered_map<Buffer, T, BufferHash>;

/// The part of a buffer that a block reads or writes: one Range per dimension.
struct BufferRegion {
    Buffer buffer;
    std::vector<Range> region;
    static constexpr auto fields() { return std::tuple{&BufferRegion::buffer, &BufferRegion::region}; }
};

/// `buffer` inside a block is the sub-region `source` of an outer buffer.
struct MatchBuffer {
    BufferRegion source;
    Buffer buffer;
    static constexpr auto fields() { return std::tuple{&MatchBuffer::source, def(&MatchBuffer::buffer)}; }
};

/// One index per dimension; an index of several lanes makes a vector load.
struct BufferLoad : ExprNodeOf<ExprKind::BufferLoad> {
    Buffer buffer;
    std::vector<Expr> indices;
    Expr predicate; ///< lane mask, or null
    static constexpr auto fields()
    {
        return std::tuple{&BufferLoad::buffer, &BufferLoad::indices, &BufferLoad::predicate};
    }
};

} // namespace nestwright::ir
