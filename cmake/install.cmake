# What is installed where (GNU's directories), and the archive that is carried from machine to machine
# (scripts/package).
if(WIN32)
  set(CMAKE_INSTALL_BINDIR .) # a folder that is unpacked anywhere: the program on top
  set(CMAKE_INSTALL_DATADIR share)
  set(CMAKE_INSTALL_DOCDIR doc)
endif()
include(GNUInstallDirs)

# The manual page and the completions are written by the program, from the table of its commands.
set(manuals "")
set(manual_rows "man|sonde.1|${CMAKE_INSTALL_MANDIR}/man1"
  "bash|sonde|${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  "zsh|_sonde|${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
  "fish|sonde.fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
if(WIN32)
  set(manual_rows "") # nothing there reads them
endif()
foreach(row IN LISTS manual_rows)
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 form)
  list(GET row 1 name)
  list(GET row 2 folder)
  set(file ${CMAKE_BINARY_DIR}/manual/${form}/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/manual/${form})
  add_custom_command(OUTPUT ${file} COMMAND sonde manual ${form} > ${file} DEPENDS sonde VERBATIM)
  list(APPEND manuals ${file})
  install(FILES ${file} DESTINATION ${folder})
endforeach()
add_custom_target(manuals ALL DEPENDS ${manuals})

install(TARGETS sonde RUNTIME)
if(TARGET sonde_vkfft)
  install(TARGETS sonde_vkfft DESTINATION lib/sonde) # where backends/opencl/vkfft.cpp looks
  set(linked_into_modules VkFFT|libvkfft-dev)
endif()
install(FILES results/schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde)
install(FILES results/published/figures.json results/published/schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde/published)
install(FILES README.md LICENSE NOTICE TYPE DOC)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN "*.md")
if(NOT WIN32)
  install(PROGRAMS lab/sonde.sbatch lab/slurm-health scripts/bench-telemetry
    DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde)
endif()

# The licences of what is linked in, as the distribution states them.
string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
set(SONDE_LINKED fmt|libfmt-dev nlohmann-json|nlohmann-json3-dev CLI11|libcli11-dev volk|libvulkan-volk-dev
  Vulkan-Headers|libvulkan-dev OpenCL-Headers|opencl-c-headers shaderc|libshaderc-dev glslang|glslang-dev
  SPIRV-Tools|spirv-tools
  zlib|zlib1g-dev utf8proc|libutf8proc-dev Boost.Math|libboost-math-dev
  GCC-runtime|gcc-${compiler_major}-base ${linked_into_modules})
if(WIN32)
  list(APPEND SONDE_LINKED mingw-w64|mingw-w64-common)
endif()
set(SONDE_LICENCES_MISSING "")
foreach(row IN LISTS SONDE_LINKED)
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 name)
  list(GET row 1 package)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${name}.txt)
  else()
    list(APPEND SONDE_LICENCES_MISSING ${package})
  endif()
endforeach()

install(CODE "set(SONDE_LICENCES_MISSING \"${SONDE_LICENCES_MISSING}\")
if(SONDE_LICENCES_MISSING)
  message(FATAL_ERROR
    \"the licences of what is linked in are not here: no \"
    \"/usr/share/doc/PACKAGE/copyright of \${SONDE_LICENCES_MISSING}\")
endif()")

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME sonde-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
if(WIN32)
  set(CPACK_GENERATOR ZIP)
  set(CPACK_PACKAGE_FILE_NAME sonde-${PROJECT_VERSION}-windows-${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_STRIP_FILES ON)
# Who builds a package answers for it, by the variables that Debian's own tools read. The project has no address:
# .invalid is a domain that never exists.
set(maintainer "Unnamed builder <nobody@sonde.invalid>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(SONDE_MAINTAINER "${maintainer}" CACHE STRING
  "Name and mail address in the Debian package, 'A Person <person@lab.edu>'")
set(CPACK_PACKAGE_CONTACT "${SONDE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "probe of GPU memory hierarchies through CUDA, OpenCL and Vulkan")
set(CPACK_PACKAGE_DESCRIPTION
  "Measures latency and bandwidth of caches and memory with the same kernels\n\
through every API of a card, finds the levels, and puts the APIs side by side.\n\
Drivers are opened when they are there; none is needed to install.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libvulkan1, ocl-icd-libopencl1")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
