# SPDX-License-Identifier: Apache-2.0
# One library per room, a folder of core/ or widgets/. Sources are found, not listed.

# Compiles a library so that it can be part of a shared one too (tests/CMakeLists.txt), without the detours
# by which another library could replace its functions.
function(nw_shareable target)
    if(NESTWRIGHT_SHARED_TESTS)
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    endif()
endfunction()

# Makes the library nw_NAME of the sources in the FOLDERS, a list (of the current directory): static, or an
# interface where they hold headers only. RECURSE takes subfolders in; AUTOMOC runs Qt's moc. Sets nw_scope
# for linking it.
macro(nw_library name folders)
    cmake_parse_arguments(arg "RECURSE;AUTOMOC" "" "" ${ARGN})
    set(glob GLOB)
    if(arg_RECURSE)
        set(glob GLOB_RECURSE)
    endif()
    set(patterns ${folders})
    list(TRANSFORM patterns APPEND "/*.cpp" OUTPUT_VARIABLE source_patterns)
    list(TRANSFORM patterns APPEND "/*.h" OUTPUT_VARIABLE header_patterns)
    file(${glob} sources CONFIGURE_DEPENDS ${source_patterns})
    file(${glob} headers CONFIGURE_DEPENDS ${header_patterns})
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    if(sources)
        add_library(nw_${name} STATIC ${sources} ${headers})
        set_target_properties(nw_${name} PROPERTIES AUTOMOC ${arg_AUTOMOC} UNITY_BUILD ${NESTWRIGHT_UNITY}
            UNITY_BUILD_BATCH_SIZE 24 AUTOGEN_ORIGIN_DEPENDS OFF) # moc waits for no library
        nw_shareable(nw_${name})
        set(nw_scope PUBLIC)
    elseif(headers)
        add_library(nw_${name} INTERFACE ${headers})
        set(nw_scope INTERFACE)
    endif()
endmacro()

# Declares rooms: nw_room(script arith interp ABOVE ir) makes core/script the library nw_script, …
# A room may use the rooms that it stands ABOVE and all that those stand above, nothing else; rooms of one
# call do not meet. scripts/layers.py reads the same lines.
#   QT names the Qt libraries (and switches moc on); FLAT leaves subfolders out.
function(nw_room)
    cmake_parse_arguments(PARSE_ARGV 0 arg "FLAT" "" "ABOVE;QT")
    set(lower)
    foreach(room IN LISTS arg_ABOVE)
        get_property(libraries GLOBAL PROPERTY NW_ROOM_${room} SET)
        if(NOT libraries)
            message(FATAL_ERROR "${arg_UNPARSED_ARGUMENTS}: '${room}' below it is not declared yet")
        endif()
        get_property(libraries GLOBAL PROPERTY NW_ROOM_${room})
        list(APPEND lower ${libraries})
    endforeach()
    set(options)
    if(NOT arg_FLAT)
        list(APPEND options RECURSE)
    endif()
    if(arg_QT)
        list(APPEND options AUTOMOC)
    endif()
    foreach(room IN LISTS arg_UNPARSED_ARGUMENTS)
        nw_library(${room} ${room} ${options})
        set_property(GLOBAL PROPERTY NW_ROOM_${room} ${lower})
        if(TARGET nw_${room})
            target_link_libraries(nw_${room} ${nw_scope} ${lower} ${arg_QT})
            nw_in_room(${room} nw_${room})
        endif()
    endforeach()
    # A test may use its own room, those declared with it and all declared before.
    foreach(room IN LISTS arg_UNPARSED_ARGUMENTS)
        get_property(upto GLOBAL PROPERTY NW_LIBRARIES)
        set_property(GLOBAL PROPERTY NW_UPTO_${room} ${upto})
    endforeach()
endfunction()

# Counts a library to a room: who stands above the room links it.
function(nw_in_room room library)
    set_property(GLOBAL APPEND PROPERTY NW_ROOM_${room} ${library})
    set_property(GLOBAL APPEND PROPERTY NW_LIBRARIES ${library})
    set_property(GLOBAL APPEND PROPERTY NW_UPTO_${room} ${library})
endfunction()

# Links libraries from outside to a folder's library, where there is one:
# nw_links(session nlohmann_json::nlohmann_json)
function(nw_links folder)
    if(TARGET nw_${folder})
        get_target_property(type nw_${folder} TYPE)
        if(type STREQUAL "INTERFACE_LIBRARY")
            target_link_libraries(nw_${folder} INTERFACE ${ARGN})
        else()
            target_link_libraries(nw_${folder} PUBLIC ${ARGN})
        endif()
    endif()
endfunction()

# Links a C library to core/support if it and its header are there, and defines VARIABLE's NESTWRIGHT_HAS_…
# for the one source that uses it: nw_optional(NESTWRIGHT_NAME library source "…, where it is not")
function(nw_optional variable library source otherwise)
    find_path(${variable}_HEADERS ${library}.h)
    find_library(${variable} ${library})
    if(${variable} AND ${variable}_HEADERS)
        string(REPLACE "NESTWRIGHT_" "NESTWRIGHT_HAS_" definition ${variable})
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS ${definition}=1)
        target_link_libraries(nw_support PUBLIC ${${variable}})
    else()
        message(STATUS "lib${library} is not used: ${otherwise}")
    endif()
endfunction()

# Precompiles headers for targets that say target_precompile_headers(… REUSE_FROM NAME); they must link the
# same Qt libraries, since those define macros: nw_precompiled(NAME HEADERS header… LINK libraries…)
function(nw_precompiled name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// carries the headers only\n")
    add_library(${name} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${arg_LINK})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# Uses the precompiled headers of NAME in a library, where it exists and compiles anything.
function(nw_reuse_headers library name)
    if(TARGET ${library})
        get_target_property(type ${library} TYPE)
        if(NOT type STREQUAL "INTERFACE_LIBRARY")
            target_precompile_headers(${library} REUSE_FROM ${name})
        endif()
    endif()
endfunction()

# Headers that most files of the window include.
set(nw_window_headers
    <QAbstractItemModel> <QAction> <QApplication> <QBoxLayout> <QGraphicsView> <QLabel> <QMainWindow> <QMenu>
    <QMouseEvent> <QPainter> <QPainterPath> <QPushButton> <QScrollBar> <QStyle> <QTimer> <QToolButton>
    <QTreeView> <expected> <format> <functional>)
