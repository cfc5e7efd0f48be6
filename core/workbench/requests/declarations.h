// SPDX-License-Identifier: Apache-2.0
/// Requests, one a file.
#pragma once

#include "core/workbench/requests/request.h"

namespace nestwright::workbench {

extern const Request openRequest, describeRequest, legalRequest, sourceRequest, loopsRequest, measuredRequest,
    listRequest, machineRequest, requestsRequest;

} // namespace nestwright::workbench
