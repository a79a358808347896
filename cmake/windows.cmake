# What Windows' program is built from, in place of the distribution's packages: scripts/windows-libraries puts it here.
set(SONDE_LIBRARIES ${CMAKE_SOURCE_DIR}/build/windows-libraries)
foreach(library IN ITEMS fmt::fmt-header-only nlohmann_json::nlohmann_json CLI11::CLI11 glslang::SPIRV glslang::glslang
    glslang::glslang-default-resource-limits SPIRV-Tools-opt SPIRV-Tools-static)
  add_library(${library} INTERFACE IMPORTED) # headers; what has code is all in SHADERC_COMBINED
  set_target_properties(${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${SONDE_LIBRARIES}/include)
endforeach()
set(Vulkan_INCLUDE_DIR ${SONDE_LIBRARIES}/include)
set(Vulkan_INCLUDE_DIRS ${Vulkan_INCLUDE_DIR})
find_library(SHADERC_COMBINED shaderc_combined REQUIRED)

add_compile_definitions(NOMINMAX WIN32_LEAN_AND_MEAN UNICODE _WIN32_WINNT=0x0601 # Windows 7
  UTF8PROC_STATIC __USE_MINGW_ANSI_STDIO=1)
add_compile_options(-Wa,-mbig-obj) # pieces of many sources have more sections than an object may else hold
add_link_options(-static -Wl,--stack,67108864) # as need_stack of core/base/system_posix.cpp asks for

# The tool of the build runs here.
find_program(SONDE_HOST_CXX NAMES g++ clang++ c++ REQUIRED)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/embed_texts
  COMMAND ${SONDE_HOST_CXX} -std=c++20 -O1 -o embed_texts ${CMAKE_SOURCE_DIR}/cmake/embed.cpp -lz
  DEPENDS ${CMAKE_SOURCE_DIR}/cmake/embed.cpp VERBATIM)
