# What the kernels' texts say to the build, which is the only place where it is said.
#
# Kernels that are compiled at build time, for the host and for CUDA: lines of the kernel's text, each for all that it
# names with all that it names. WIDTH=1 where no WIDTH is said.
#   // BUILD [PTX] <path>... [+ <path of the second source>...] [: <DEFINE>=<value>[|<value>]... ...]
#   //       what goes on from the line before, which ends at a space or behind a |
# PTX: for CUDA alone. OP_*: each of the operations that need no second source, as kernels/operations.h has them.
# The variant's name follows variant_name() in core/device/kernel_source.cpp: kernel-path[-second]-DEFINEvalue...,
# defines by name, WIDTH always there.
#
# kernel_args.h: one struct for each kernel's ARGS, for the host to fill.
#   ARGS(uint start; uint steps;) in kernels/chase.h
#   -> struct sonde::kernel_args::Chase { std::uint32_t start, steps; };
# A field has to be given, but for `pad` (0 at run time, which no compiler knows), `base_low` (the address of source A,
# which the launch fills in where the API tells it), and what stands behind them.
set(SONDE_VARIANTS "")
set(SONDE_HOST_PATHS global global.pointer scratchpad) # the other paths have no form on the host
# Expressions of paths and defines, or of those of one kernel, whose instruction older chips do not have: the chip, and
# the language version that first knows it. All else is built for sm_30. A later row that fits counts. clang 14 knows no
# sm_90: such a text is compiled for sm_80 and its header rewritten, its instructions being inline assembly.
set(SONDE_PTX_TARGETS
    "global.readonly|sm_35|ptx32|" "cluster|sm_80|ptx71|7.8 sm_90" "atomics:TYPE_F64|sm_60|ptx50|"
    "VISIBLE|sm_70|ptx60|" "BY_CP_ASYNC|sm_80|ptx71|" "BY_BULK|sm_80|ptx71|8.0 sm_90"
    "OP_ROTATE_U32|sm_35|ptx32|" "OP_FMA_F16X2|sm_60|ptx60|" "OP_ADD_F16X2|sm_60|ptx60|"
    "OP_MUL_F16X2|sm_60|ptx60|" "OP_DOT_U8X4|sm_61|ptx60|" "OP_FMA_BF16X2|sm_80|ptx71|"
    "OP_REDUCE_U32|sm_80|ptx71|" "OP_ADD_BF16X2|sm_80|ptx71|7.8 sm_90"
    "OP_MUL_BF16X2|sm_80|ptx71|7.8 sm_90"
    "OP_MMA_.*|sm_80|ptx71|"
    "OP_MMA_SP_.*|sm_80|ptx71|8.5 sm_80"
    "OP_MMA_E[45]M[23]_.*|sm_80|ptx71|8.4 sm_89"
    "OP_MMA_E[45]M[23]_F16_.*|sm_80|ptx71|8.7 sm_89"
    "OP_MMA_E[45]M[23]_F32_M16N8K16|sm_80|ptx71|8.7 sm_89"
    "OP_MMA_SP_E[45]M[23]_.*|sm_80|ptx71|8.5 sm_89"
    "OP_MMA_F64_F64_M16.*|sm_80|ptx71|7.8 sm_90"
    "OP_WGMMA_.*|sm_80|ptx71|8.0 sm_90a"
    "OP_WGMMA_SP_.*|sm_80|ptx71|8.2 sm_90a")
set(SONDE_CONSTANT_BYTES 65536) # of __constant__ memory, on every card

# The define of a path: global.pointer -> A_GLOBAL_POINTER.
function(sonde_path_define source path out)
  string(TOUPPER "${source}_${path}" word)
  string(REPLACE "." "_" word "${word}")
  set(${out} ${word} PARENT_SCOPE)
endfunction()

file(READ ${CMAKE_SOURCE_DIR}/kernels/operations.h text)
string(REGEX MATCHALL "\n#define OP_[A-Z0-9_]+" operations "${text}")
list(TRANSFORM operations REPLACE "\n#define " "")
list(FILTER operations EXCLUDE REGEX "LOAD_") # those that load have a second source
list(REMOVE_DUPLICATES operations)

# Of a form of matrices in PTX, as kernels/matrix_forms.h has it: its instruction, and all else that its kernel asks.
file(READ ${CMAKE_SOURCE_DIR}/kernels/matrix_forms.h text)
string(REGEX REPLACE " *\\\\\n *" " " text "${text}") # a form may take two lines
string(REGEX MATCHALL "\n#define OP_[A-Z0-9_]+[(]DO[)] DO[(][A-Z_]+, \"[^\n]+" lines "${text}")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^\n#define ([A-Z0-9_]+)[(]DO[)] DO[(]([A-Z_]+), \"([^\"]+)\", (.+)[)]$" line "${line}")
  set(SONDE_INSTRUCTION_${CMAKE_MATCH_1} "${CMAKE_MATCH_3}")
  set(SONDE_OPERANDS_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}, ${CMAKE_MATCH_4}")
endforeach()

set(structs "")
file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernels})
foreach(file IN LISTS kernels)
  get_filename_component(kernel ${file} NAME_WE)
  file(READ ${file} text)
  string(REGEX MATCHALL "\n// BUILD [^\n]*(\n//      [^\n]*)*" lines "\n${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[|]\n// +" "|" line "${line}")
    string(REGEX REPLACE "\n// +" " " line "${line}")
    string(STRIP "${line}" line)
    string(REGEX MATCH "^BUILD (PTX )?([^+:]+)([+]([^:]+))?(:(.+))?$" line "${line}")
    set(only "${CMAKE_MATCH_1}")
    set(defines "${CMAKE_MATCH_6}")
    separate_arguments(paths UNIX_COMMAND "${CMAKE_MATCH_2}")
    separate_arguments(seconds UNIX_COMMAND "${CMAKE_MATCH_4}")
    separate_arguments(defines UNIX_COMMAND "${defines}")
    if(NOT defines MATCHES "(^|;)WIDTH=")
      list(APPEND defines WIDTH=1)
    endif()
    if(NOT seconds)
      set(seconds none)
    endif()
    list(SORT defines)
    set(rows "-") # of defines: "-LOADS=4-WIDTH=1-"
    foreach(define IN LISTS defines)
      if(define STREQUAL "OPERATION=OP_*")
        list(TRANSFORM operations PREPEND "OPERATION=" OUTPUT_VARIABLE choices)
      else()
        string(REGEX MATCH "^([A-Z0-9_]+=)(.+)$" define "${define}")
        string(REPLACE "|" ";${CMAKE_MATCH_1}" choices "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
      endif()
      set(longer "")
      foreach(row IN LISTS rows)
        foreach(choice IN LISTS choices)
          list(APPEND longer "${row}${choice}-")
        endforeach()
      endforeach()
      set(rows "${longer}")
    endforeach()
    foreach(path IN LISTS paths)
      foreach(second IN LISTS seconds)
        sonde_path_define(A ${path} word)
        set(prefix "${kernel}-${path}")
        set(flags "-D${word}=1")
        if(NOT second STREQUAL none)
          sonde_path_define(B ${second} word)
          string(APPEND prefix "-${second}")
          string(APPEND flags " -D${word}=1 -DSECOND_SOURCE=1")
        endif()
        foreach(row IN LISTS rows)
          string(REGEX REPLACE "=|-$" "" name "${prefix}${row}")
          string(REGEX REPLACE "-([A-Z0-9_]+)=([^-]+)" " -D\\1=\\2" row "${row}")
          string(REGEX REPLACE "-$" "" row "${row}")
          list(APPEND SONDE_VARIANTS "${name}|${kernel}|${path}|${flags}${row}|${second}|${only}")
        endforeach()
      endforeach()
    endforeach()
  endforeach()

  string(REGEX MATCH "\nARGS\\(([^()]|\\([^()]*\\))*\\)" line "\n${text}")
  string(REGEX MATCHALL "uint [a-z_]+" words "${line}")
  if(NOT words)
    continue()
  endif()
  set(fields "")
  set(default "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 5 -1 field)
    if(field MATCHES "^(pad|base_low)$")
      set(default " = 0")
    endif()
    string(APPEND fields "    std::uint32_t ${field}${default}[semicolon]\n")
  endforeach()
  set(type "") # core_to_core -> CoreToCore
  string(REPLACE "_" ";" words ${kernel})
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND type ${first}${rest})
  endforeach()
  string(APPEND structs "struct ${type} {\n${fields}}[semicolon]\n")
endforeach()
string(REPLACE "[semicolon]" ";" structs "${structs}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/kernel_args.h CONTENT
"// Generated by cmake/kernels.cmake from the ARGS of kernels/*.h.
#pragma once
#include <cstdint>

namespace sonde::kernel_args {
${structs}} // namespace sonde::kernel_args
" @ONLY)
