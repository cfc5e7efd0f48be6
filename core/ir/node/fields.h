// SPDX-License-Identifier: Apache-2.0
/// How a node names its fields: plain members, definitions of variables or buffers, and names that do not
/// count.
#pragma once

namespace nestwright::ir {

/// The field defines the Var or Buffer (or the vector of them) that it holds.
template <class Node, class T> struct DefField {
    T Node::*member;
};
/// The field is for people and provenance only: equality and hash ignore it.
template <class Node, class T> struct HintField {
    T Node::*member;
};

template <class Node, class T> constexpr DefField<Node, T> def(T Node::*member) { return {member}; }
template <class Node, class T> constexpr HintField<Node, T> hint(T Node::*member) { return {member}; }

} // namespace nestwright::ir
