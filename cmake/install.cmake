# SPDX-License-Identifier: Apache-2.0
# Installation: both programs side by side, the examples where the start page looks for them, their manual,
# and for the desktop an entry, icons, types of files and a description.

include(GNUInstallDirs)
set(manuals)
foreach(program nestc nestwright)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME)
        list(APPEND manuals docs/man/${program}.1)
    endif()
endforeach()
install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/nestwright)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET nestwright)
    set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
    install(FILES resources/nestwright.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/nestwright.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES resources/nestwright-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
            RENAME nestwright.xml)
    install(FILES resources/nestwright.svg DESTINATION ${icons}/scalable/apps)
    install(DIRECTORY resources/hicolor/ DESTINATION ${icons})
endif()
