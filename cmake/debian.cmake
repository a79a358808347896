# What Debian wants of a package beside what is installed everywhere: a packed manual page, a changelog, and the licence
# in its place.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
  set(doc ${share}/doc/sonde)
  file(READ ${doc}/LICENSE text LIMIT 200)
  if(NOT text MATCHES "Apache License")
    message(FATAL_ERROR "the licence is no longer Apache's: ${doc}/copyright would be wrong")
  endif()
  file(REMOVE ${doc}/LICENSE)
  file(WRITE ${doc}/copyright
    "Sonde ${CPACK_PACKAGE_VERSION}\n\nCopyright: the authors of Sonde\nLicence: Apache-2.0, see \
/usr/share/common-licenses/Apache-2.0\n\n\
What is linked into the program has licences of its own, as its authors state them:\n")
  file(GLOB licences ${doc}/licences/*.txt)
  foreach(licence IN LISTS licences)
    get_filename_component(name ${licence} NAME_WE)
    file(READ ${licence} text)
    file(APPEND ${doc}/copyright "\n==== ${name}\n\n${text}")
  endforeach()
  file(REMOVE_RECURSE ${doc}/licences)
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # or SOURCE_DATE_EPOCH
  file(WRITE ${doc}/changelog
    "sonde (${CPACK_PACKAGE_VERSION}) stable; urgency=low\n\n\
  * See the repository's log.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  execute_process(COMMAND gzip -9n ${share}/man/man1/sonde.1 ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
endif()
