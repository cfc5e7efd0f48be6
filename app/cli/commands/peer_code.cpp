// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/peer_code.h"
#include "app/cli/command.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace nestwright::cli {

std::function<int()> declarePeerCode(CLI::App &app)
{
    auto folder = std::make_shared<std::string>();
    app.add_option("FOLDER", *folder, "says whose machine code is wanted, and is given it")->required();
    return [folder] { return measure::answerPeerCode(*folder); };
}

} // namespace nestwright::cli
