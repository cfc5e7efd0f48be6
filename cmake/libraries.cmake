# SPDX-License-Identifier: Apache-2.0
# Libraries of the programs, for "About Nestwright": each is noted where it is found.

# Notes a library from outside:
#   nw_linked(LLVM USE "machine code" LICENCE "Apache-2.0 WITH LLVM-exception" VERSION 19.1.7)
#   PACKAGE asks pkg-config for the version of one that CMake found without it.
function(nw_linked name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "USE;LICENCE;VERSION;PACKAGE" "")
    find_package(PkgConfig QUIET)
    if(arg_PACKAGE AND PKG_CONFIG_FOUND)
        pkg_check_modules(nw_version_of_${arg_PACKAGE} QUIET ${arg_PACKAGE})
        set(arg_VERSION ${nw_version_of_${arg_PACKAGE}_VERSION})
    endif()
    set_property(GLOBAL APPEND PROPERTY NW_LINKED
        "    {\"${name}\", \"${arg_USE}\", \"${arg_VERSION}\", \"${arg_LICENCE}\"},")
endfunction()

# Gives core/support what was noted, when all is.
function(nw_write_build_facts)
    get_property(rows GLOBAL PROPERTY NW_LINKED)
    list(JOIN rows "\n" NESTWRIGHT_LIBRARIES)
    configure_file(${PROJECT_SOURCE_DIR}/core/support/build_facts.cpp.in
        ${PROJECT_BINARY_DIR}/build_facts.cpp @ONLY)
    target_sources(nw_support PRIVATE ${PROJECT_BINARY_DIR}/build_facts.cpp)
endfunction()
