// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/support/files/bundled_data.h"

#include <malloc.h>

int main(int argc, char **argv)
{
    nestwright::support::useBundledData();
    // Weights go back to the system as soon as they are let go of. By default the library keeps blocks below
    // a threshold that grows with the blocks freed.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    return nestwright::cli::runCommandLine(argc, argv);
}
