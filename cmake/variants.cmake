# Kernels that are compiled at build time, for the host and for CUDA: one row per kernel.
#   sonde_variants(<kernel> PATHS <path>... [SECOND <path>...] [DEFINES <"NAME VALUE NAME VALUE">...])   SECOND: of the second source
# The variant's name follows variant_name() in core/source.cpp: kernel-path[-second]-DEFINEvalue..., defines by name, WIDTH always there.
set(SONDE_VARIANTS "" CACHE INTERNAL "")
set(SONDE_HOST_PATHS global global.pointer local) # the other paths have no form on the host

function(sonde_variants kernel)
  cmake_parse_arguments(ROW "" "" "PATHS;SECOND;DEFINES" ${ARGN})
  if(NOT ROW_DEFINES)
    set(ROW_DEFINES "WIDTH 1")
  endif()
  if(NOT ROW_SECOND)
    set(ROW_SECOND none)
  endif()
  foreach(path IN LISTS ROW_PATHS)
    string(TOUPPER "A_${path}" word)
    string(REPLACE "." "_" word "${word}")
    foreach(second IN LISTS ROW_SECOND)
      foreach(row IN LISTS ROW_DEFINES)
        string(REPLACE " " ";" words "${row}")
        set(name "${kernel}-${path}")
        set(flags "-D${word}=1")
        if(NOT second STREQUAL "none")
          string(TOUPPER "B_${second}" word_b)
          string(REPLACE "." "_" word_b "${word_b}")
          string(APPEND name "-${second}")
          string(APPEND flags " -D${word_b}=1 -DSECOND_SOURCE=1")
        endif()
        if(NOT "WIDTH" IN_LIST words)
          list(APPEND words WIDTH 1) # last by name: so far no other define sorts behind it
        endif()
        while(words)
          list(POP_FRONT words define value)
          string(APPEND name "-${define}${value}")
          string(APPEND flags " -D${define}=${value}")
        endwhile()
        list(APPEND SONDE_VARIANTS "${name}|${kernel}|${path}|${flags}|${second}")
      endforeach()
    endforeach()
  endforeach()
  set(SONDE_VARIANTS "${SONDE_VARIANTS}" CACHE INTERNAL "")
endfunction()

# Paths whose instruction older chips do not have: the chip, and the language version that first knows it. All else is built for
# sm_30. clang 14 knows no sm_90: such a text is compiled for sm_80 and its header rewritten, its instructions being inline assembly.
set(SONDE_PTX_TARGETS "global.readonly|sm_35|ptx32|" "cluster|sm_80|ptx71|7.8 sm_90")
set(SONDE_CONSTANT_BYTES 65536) # of __constant__ memory, on every card

sonde_variants(chain PATHS global DEFINES "LINK_WORDS 1" "LINK_WORDS 2" "LINK_WORDS 4" "LINK_WORDS 1 SLOTS_2D 1")
sonde_variants(fill PATHS global)
sonde_variants(spin PATHS global)
sonde_variants(where PATHS global)
sonde_variants(links PATHS global)
sonde_variants(chase PATHS global global.ca global.cg global.readonly global.uniform global.pointer texel image2d local cluster host)
sonde_variants(chase PATHS global DEFINES "SLOTS_2D 1 WIDTH 1" "WIDTH 4") # as the host stands in for images and constants in tests
sonde_variants(stroll PATHS global global.ca global.cg global.readonly global.uniform global.pointer texel image2d host)
sonde_variants(chase PATHS constant constant.uniform DEFINES "WIDTH 4")
sonde_variants(chase PATHS private DEFINES "PRIVATE_WORDS 4096 WIDTH 1")
sonde_variants(chase PATHS push DEFINES "PUSH_WORDS 1000 WIDTH 1")
sonde_variants(chase PATHS global DEFINES "HELD 1 WIDTH 1")
sonde_variants(map PATHS global.cg)
sonde_variants(neighbours PATHS global global.uniform texel DEFINES "BY_CORE 1 WIDTH 1")
sonde_variants(neighbours PATHS constant DEFINES "BY_CORE 1 WIDTH 4")
sonde_variants(waves PATHS global global.ca global.cg global.readonly global.pointer texel)
sonde_variants(share PATHS global global.ca global.readonly global.uniform global.pointer texel SECOND global global.readonly texel constant local)
sonde_variants(waves PATHS constant DEFINES "WIDTH 4")
sonde_variants(share PATHS constant SECOND global global.readonly texel local DEFINES "WIDTH 4")
sonde_variants(waves PATHS global DEFINES "WIDTH 4")
sonde_variants(share PATHS global SECOND global DEFINES "WIDTH 4") # as for chase
sonde_variants(read PATHS global global.ca global.cg global.readonly texel constant local host DEFINES
  "QUADS 1 WIDTH 1" "QUADS 1 WIDTH 2" "QUADS 1 WIDTH 4" "QUADS 16 WIDTH 1" "QUADS 16 WIDTH 2" "QUADS 16 WIDTH 4")
