# SPDX-License-Identifier: Apache-2.0
# How every file is compiled and linked.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF) # there are none, and the scan costs one more run of the compiler per file
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Werror=switch -Werror=return-type)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What GCC 14 says of values in std::optional and std::variant that are known to be there is wrong.
    add_compile_options(-Wno-maybe-uninitialized)
endif()
# Qt's 'emit' and 'slots' break the headers of LLVM and of the standard library.
add_compile_definitions(QT_NO_KEYWORDS)
include_directories(${PROJECT_SOURCE_DIR}) # includes are written from the root: "core/ir/node/expr.h"

find_program(NESTWRIGHT_CCACHE ccache)
if(NESTWRIGHT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${NESTWRIGHT_CCACHE})
endif()

find_program(NESTWRIGHT_MOLD mold)
if(NESTWRIGHT_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

# The tests' executables share what they test: linked into each of 290 it is ten gigabytes, and one changed
# file links them all again.
set(NESTWRIGHT_SHARED_TESTS OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(NESTWRIGHT_SHARED_TESTS ON)
endif()

set(NESTWRIGHT_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize names them")
if(NESTWRIGHT_SANITIZE)
    add_compile_options(-fsanitize=${NESTWRIGHT_SANITIZE} -fno-sanitize-recover=undefined
        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${NESTWRIGHT_SANITIZE})
endif()
if(NESTWRIGHT_LIBFUZZER)
    add_compile_options(-fsanitize=fuzzer-no-link) # the fuzzer sees which code an input reaches
endif()
