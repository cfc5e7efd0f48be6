// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

int main(int argc, char **argv) { return nestwright::cli::runCommandLine(argc, argv); }
