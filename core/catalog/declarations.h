// SPDX-License-Identifier: Apache-2.0
/// One declaration per preset; the table is in preset.cpp.
#pragma once

#include "core/catalog/preset.h"

namespace nestwright::catalog {

extern const Preset matmulPreset;
extern const Preset matmulReluPreset;
extern const Preset addReluPreset;
extern const Preset sigmoidPreset;
extern const Preset rowSumPreset;
extern const Preset conv2dPreset;
extern const Preset softmaxPreset;
extern const Preset elementwiseChainPreset;

} // namespace nestwright::catalog
