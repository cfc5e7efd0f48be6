// SPDX-License-Identifier: GPL-3.0-or-later
/// Data of the charts: plain, given whole each time.
#pragma once

#include <QString>

#include <vector>

namespace nestwright::charts {

enum class Outcome {
    Measured,
    Failed, ///< crashed, hung, wrong result, an impossible time: no value
    Running ///< being measured: no value yet
};

/// One variant; `low` and `high` bound its confidence interval. The id is the caller's and comes back when it
/// is chosen.
struct Bar {
    int id = 0;
    QString name;
    double value = 0, low = 0, high = 0;
    Outcome outcome = Outcome::Measured;
    QString note; ///< one sentence for the tool tip: "not significant against tile", "the kernel crashed"
    bool compares = true; ///< false: measured otherwise than the others; drawn as an outline
    QString detail{};     ///< second line under the bar: tells it from others of that name
    QString failure{};    ///< of one that failed, in a word or two: "impossible"
};

/// A dashed line to compare with.
struct Reference {
    enum class Kind { Peak, Library };
    QString name; ///< "machine peak", "OpenBLAS"
    double value = 0;
    Kind kind = Kind::Library;
};

struct BarData {
    std::vector<Bar> bars;
    std::vector<Reference> references;
    int current = -1; ///< id of the current variant
    QString unit = QStringLiteral("GFLOPS");
};

/// A bar of a waterfall: a whole program's level, or the way from the level without a step to that with it.
struct WaterfallBar {
    enum class Kind {
        Total, ///< from zero up to `to`
        Step,
        Missing, ///< not measured: `note` says why
    };
    int id = 0;
    Kind kind = Kind::Step;
    QString number{};         ///< of the step; empty for a total
    QString name{};           ///< "split"
    QString label{};          ///< whole, for the tool tip: "split(i, [None, 32])"
    double from = 0, to = 0;  ///< levels
    double low = 0, high = 0; ///< the interval of the level that was changed last
    double gain = 1;          ///< times as fast
    double gainLow = 1, gainHigh = 1;
    bool significant = true;
    QString note{}; ///< one sentence for the tool tip
};

struct WaterfallData {
    std::vector<WaterfallBar> bars;
    double reference = 0; ///< the level of the whole schedule, a dashed line; 0: none
    QString unit = QStringLiteral("GFLOPS");
};

/// A level of memory: attainable GFLOPS = bandwidth × intensity.
struct Roof {
    QString name;         ///< "L1", "L2", "DRAM"
    double bandwidth = 0; ///< GB/s
    double capacity = 0;  ///< bytes that it holds for all threads; 0: the memory itself, which holds all
};

struct RooflinePoint {
    int id = 0;
    QString name;
    double across = 0;                  ///< FLOP per byte of memory traffic; bytes of a call
    double rate = 0, low = 0, high = 0; ///< GFLOPS; GB/s
    QString note;
};

/// A bound that special units reach: a flat roof above the peak.
struct Ceiling {
    QString name; ///< "tensor cores, half precision"
    double gflops = 0;
};

/// A roofline chart. For a kernel with operations: GFLOPS over FLOP per byte. For a kernel that only moves
/// bytes: GB/s over the bytes of a call, under the bandwidths of the memories that hold so many.
struct RooflineData {
    bool areBytes = false;
    std::vector<Roof> roofs;
    double peak = 0; ///< GFLOPS
    std::vector<Ceiling> ceilings;
    double across = 0;                 ///< of the program, for while it has no point; 0: not known
    std::vector<RooflinePoint> points; ///< in the order in which they are connected
    bool showsWay = true;              ///< arrows from each point to the next, and their names
    int current = -1;
};

} // namespace nestwright::charts
