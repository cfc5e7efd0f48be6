# SPDX-License-Identifier: Apache-2.0
# Installation: both programs side by side, the examples where the start page looks for them, and for the
# desktop its entry and icon.

include(GNUInstallDirs)
foreach(program nestc nestwright)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME)
    endif()
endforeach()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/nestwright)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET nestwright)
    install(FILES resources/nestwright.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/nestwright.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
