// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include <malloc.h>

int main(int argc, char **argv)
{
    // Weights go back to the system as soon as they are let go of. Left to itself the library keeps what is
    // below a size that grows with what was freed.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    return nestwright::cli::runCommandLine(argc, argv);
}
