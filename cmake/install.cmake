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
    set(id org.nestwright.nestwright) # of the application, which its files are named by
    install(FILES resources/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES resources/${id}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
            RENAME ${id}.xml)
    install(FILES resources/nestwright.svg DESTINATION ${icons}/scalable/apps RENAME ${id}.svg)
    install(DIRECTORY resources/hicolor/ DESTINATION ${icons})
endif()
