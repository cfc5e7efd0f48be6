// SPDX-License-Identifier: Apache-2.0
/// The machine that code is made for: vectors, registers, caches, cores and their rates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::target {

/// Work of the busiest thread over the mean, up to which pieces are well shared out.
inline constexpr double fairImbalance = 1.15;

inline constexpr std::int64_t kilobyte = 1024, megabyte = 1024 * kilobyte;

/// Bytes of a line of memory, which caches fetch and bring back at once: so many on every processor that code
/// is tuned for here (Apple's have 128).
inline constexpr std::int64_t lineBytes = 64;

/// A cache of data, or the memory behind the last one.
struct MemoryLevel {
    std::string name; ///< "L1", "L2", "L3", "DRAM"; of a GPU "shared", "L2", "DRAM"
    /// Capacity for one thread (L1, L2) or the whole machine (L3); 0 for DRAM. Where it was measured and
    /// others have their part of a cache, as guests of one host do: as much as is read at its speed.
    std::int64_t bytes = 0;
    double bytesPerSecond = 0; ///< 0: not known
    std::int64_t ways = 1;     ///< lines of a set; 1 for DRAM
    std::int64_t lineBytes = target::lineBytes;
    int sharers = 1; ///< cores that a cache serves

    std::int64_t sets() const { return bytes / (ways * lineBytes); }

    bool operator==(const MemoryLevel &) const = default;
};

/// Cores of one kind: laptops and phones have fast ones and thrifty ones.
struct CoreKind {
    int cores = 1;
    int threadsOfCore = 1; ///< that share its units and caches
    double speed = 1;      ///< beside the fastest kind

    bool operator==(const CoreKind &) const = default;
};

/// Sizes in bytes. What no data sheet tells was found by trial on the machine that schedules were tuned on,
/// with one thread and with two; `fitSizes` takes it over to others.
struct Machine {
    struct Vectors {
        std::int64_t bytes = 64; ///< of the widest; narrower machines take two or four for one
        int registers = 32;      ///< of that width
        int sums = 24;           ///< registers that hold sums, where it is not known what else needs them
        int units = 2;           ///< multiply-adds begun in a cycle
        int latency = 4;         ///< cycles until the result of one is there
        int loads = 2;           ///< vectors, or numbers for all lanes, loaded in a cycle

        std::int64_t bits() const { return 8 * bytes; }

        bool operator==(const Vectors &) const = default;
    } vectors{};

    int threads = 2;               ///< of parallel loops
    std::vector<CoreKind> cores{}; ///< that they may use, fastest kind first; empty: not known
    int nodes = 1;                 ///< of memory, each near to some cores
    int piecesOfThread = 8; ///< parts of a parallel loop for each of them, so that none waits long at its end

    double flops = 0;                  ///< float32 operations per second of one thread; 0: not known
    std::vector<MemoryLevel> levels{}; ///< nearest first, the memory last; rates of one thread

    /// Sizes for the first cache, of one core.
    struct FirstCache {
        std::int64_t sets = 64;
        std::int64_t waysOfTile = 8;          ///< lines of a set that a tile may use
        std::int64_t tile = 16 * kilobyte;    ///< of rows far apart that are copied to lie together
        std::int64_t columns = 20 * kilobyte; ///< of a tile of a product, beside what is read of the image
        std::int64_t manyColumns = 112 * kilobyte; ///< from which on results wait in memory for further terms
        std::int64_t matrix = 16 * kilobyte;       ///< smaller ones lie in it in any order
        std::int64_t fetchedRow = 16 * kilobyte;   ///< longer rows are not fetched ahead
        std::int64_t ahead = 8 * kilobyte;         ///< how far ahead is fetched
        std::int64_t mostTiles = 112; ///< of Winograd that pass while a block of weights stays there
        std::int64_t tilesOfLoad = 7; ///< in whose time that block is loaded

        bool operator==(const FirstCache &) const = default;
    } first{};
    /// Sizes for the second cache, of one core.
    struct SecondCache {
        std::int64_t kept = 512 * kilobyte; ///< that stays beside what passes through it
        std::int64_t passing = megabyte;    ///< from which on an operand passes through it
        std::int64_t rows = 128 * kilobyte; ///< of an image, beside their results

        bool operator==(const SecondCache &) const = default;
    } second{};
    /// Sizes for the last cache, of all cores.
    struct LastCache {
        std::int64_t results = 16 * megabyte; ///< that the next kernel would not find there either
        std::int64_t inputs = 32 * megabyte;  ///< from which on their rows come from memory

        bool operator==(const LastCache &) const = default;
    } last{};

    /// Bytes of a level for each thread, where all are at work.
    std::int64_t bytesOfThread(const MemoryLevel &level) const;
    /// Pieces of the busiest thread over their mean, of so many that are equally long: at least 1.
    double imbalance(std::int64_t count) const;
    std::int64_t pieces() const { return std::int64_t{threads} * piecesOfThread; }
    /// Bytes from one row of lines of the first cache to the next.
    std::int64_t waySpan() const { return first.sets * lineBytes; }
    /// Elements of so many bytes in a vector.
    std::int64_t lanes(std::int64_t elementBytes) const { return vectors.bytes / elementBytes; }

    bool operator==(const Machine &) const = default;
};

/// Cycles in which a tile of sums takes in one product each: as long as the multiply-adds, the loads of a
/// number for each row and a vector for each column, or the time until each sum is there again.
double cyclesOfTile(const Machine &machine, std::int64_t rows, std::int64_t columns);

/// Sets the sizes for the caches, and the registers of sums, by `levels`, `cores` and `vectors`: as they are
/// best on the machines that schedules were tuned on, and less for smaller caches and those that several
/// share. What is not known stays as it is.
void fitSizes(Machine &machine);

/// Vectors of sums that stay in registers, beside the operands that are multiplied.
int registersOfSums(const Machine &machine);

/// The machine that the proportions of schedules were found on: two threads of an Intel Xeon with AVX-512, a
/// guest of its host.
const Machine &tunedMachine();

} // namespace nestwright::target
