// SPDX-License-Identifier: Apache-2.0
/// Generating token by token with a model that leaves the keys and values of former tokens to its caller.
#pragma once

#include "core/graph/run/executor.h"

#include <string>
#include <vector>

namespace nestwright::graph {

/// Roles of the inputs and outputs of such a model, by name.
struct DecodingRoles {
    /// Keys or values: an input of so many places along an axis, and an output that holds the same and,
    /// behind them or (`inOrder`) behind those of former tokens, those of the token.
    struct Cache {
        std::string input, output;
        std::size_t axis = 2;
    };
    std::string tokens, positions, mask; ///< inputs; the second may be missing
    std::string logits;                  ///< output: a number for each token there is, the largest last
    std::vector<Cache> caches;
    bool inOrder = false;
    std::int64_t places = 0; ///< for former tokens
};

/// A model with caches of a fixed number of places. Those that no token has taken yet are masked, so that one
/// program serves all positions: keys may stand in any order, as their positions are in them.
class Decoder {
public:
    /// Errors: "decoding.roles": the model's program has no such input or output.
    static support::Result<Decoder> make(Executor executor, DecodingRoles roles);

    /// Runs the model on one token behind the former ones. Gives the most likely next one. Errors: those of
    /// Executor::run; "decoding.full" when no place is left.
    support::Result<std::int64_t> step(std::int64_t token);
    /// Tokens so far.
    std::int64_t position() const { return m_position; }
    const Executor &executor() const { return m_executor; }

private:
    struct CachePlace {
        std::size_t input, output, axis;
    };

    Decoder(Executor executor, DecodingRoles roles)
        : m_executor(std::move(executor))
        , m_roles(std::move(roles))
    {
    }

    Executor m_executor;
    DecodingRoles m_roles;
    std::size_t m_tokens = 0, m_mask = 0, m_logits = 0;
    std::optional<std::size_t> m_positions;
    std::vector<CachePlace> m_caches;
    std::int64_t m_position = 0;
};

} // namespace nestwright::graph
