# find_package(Locus): the program locus as LOCUS_EXECUTABLE, and a function that has a build make a target's symbols.
#
#   locus_add_symbols(TARGET [OUTPUT FILE] [OPTIONS OPTION...])
#
# Makes TARGET's .locus file with every build, as the target TARGET_symbols: once the program is linked, and again when
# the program, a companion that was read (.dwo, .dwp, a separate debug file) or locus itself has changed, or the file was
# deleted. TARGET is an executable or a shared or module library.
#
# OUTPUT  where to write; default: beside the program, under its name with .locus behind it. The program's name and place
#         are what its properties say when the function is called. May hold $<CONFIG>. Its folder is made.
# OPTIONS further options of `locus convert`. A configuration without debug information needs --symbols-only; with
#         --allow-no-debug nothing would be written, and the next build would try again.
#
# CMake's Makefiles start commands without make's jobserver before CMake 3.28: OPTIONS -j1 then keeps to one thread.

cmake_minimum_required(VERSION 3.21)

get_filename_component(_locus_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(LOCUS_EXECUTABLE locus HINTS "${_locus_prefix}/bin" DOC "The program that makes .locus files")
unset(_locus_prefix)
if(NOT LOCUS_EXECUTABLE)
	set(Locus_FOUND FALSE)
	set(Locus_NOT_FOUND_MESSAGE "the program locus was not found: set LOCUS_EXECUTABLE to where it is")
	return()
endif()

# Sets `ret` to the value of the first of the properties that has one, or to nothing.
function(_locus_first_property target ret)
	set(value "")
	foreach(property IN LISTS ARGN)
		if("${value}" STREQUAL "")
			get_property(value TARGET ${target} PROPERTY ${property})
		endif()
	endforeach()
	set(${ret} "${value}" PARENT_SCOPE)
endfunction()

# The path of a target's file in a configuration.
function(_locus_target_file target configuration ret)
	get_target_property(type ${target} TYPE)
	if(type STREQUAL "EXECUTABLE")
		set(kind RUNTIME)
	elseif(type STREQUAL "SHARED_LIBRARY" OR type STREQUAL "MODULE_LIBRARY")
		set(kind LIBRARY)
	else()
		message(FATAL_ERROR "locus_add_symbols: ${target} is no executable and no shared library")
	endif()

	string(TOUPPER "${configuration}" configuration_name)
	foreach(property PREFIX SUFFIX BINARY_DIR VERSION NO_SONAME)
		get_property(${property} TARGET ${target} PROPERTY ${property})
	endforeach()
	_locus_first_property(${target} folder ${kind}_OUTPUT_DIRECTORY_${configuration_name})
	if(NOT folder)
		_locus_first_property(${target} folder ${kind}_OUTPUT_DIRECTORY BINARY_DIR)
		get_property(has_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
		if(has_configurations AND NOT folder MATCHES "\\$<")
			string(APPEND folder "/${configuration}")
		endif()
	endif()

	_locus_first_property(${target} name ${kind}_OUTPUT_NAME_${configuration_name} ${kind}_OUTPUT_NAME
		OUTPUT_NAME_${configuration_name} OUTPUT_NAME NAME)
	_locus_first_property(${target} postfix ${configuration_name}_POSTFIX)
	# CMAKE_SHARED_MODULE_SUFFIX is what a MODULE_LIBRARY ends in.
	string(REPLACE "MODULE_LIBRARY" "SHARED_MODULE" kind_of_name ${type})
	foreach(end PREFIX SUFFIX)
		get_property(has_own TARGET ${target} PROPERTY ${end} SET)
		if(NOT has_own)
			set(${end} "${CMAKE_${kind_of_name}_${end}}")
		endif()
	endforeach()
	if(type STREQUAL "SHARED_LIBRARY")
		_locus_first_property(${target} version VERSION SOVERSION)
		if(NOT "${version}" STREQUAL "" AND NOT NO_SONAME)
			string(APPEND SUFFIX ".${version}")
		endif()
	elseif(VERSION AND type STREQUAL "EXECUTABLE")
		string(APPEND SUFFIX "-${VERSION}")
	endif()
	cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${BINARY_DIR}")
	set(${ret} "${folder}/${PREFIX}${name}${postfix}${SUFFIX}" PARENT_SCOPE)
endfunction()

# The path of a target's file in whichever configuration is built.
function(_locus_target_files target ret)
	get_property(has_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
	if(NOT has_configurations)
		_locus_target_file(${target} "${CMAKE_BUILD_TYPE}" file)
		set(${ret} "${file}" PARENT_SCOPE)
		return()
	endif()
	set(files "")
	foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES)
		_locus_target_file(${target} ${configuration} file)
		string(APPEND files "$<$<CONFIG:${configuration}>:${file}>")
	endforeach()
	set(${ret} "${files}" PARENT_SCOPE)
endfunction()

function(locus_add_symbols target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "OPTIONS")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "locus_add_symbols: what is ${arg_UNPARSED_ARGUMENTS}?")
	endif()
	if(NOT TARGET ${target})
		message(FATAL_ERROR "locus_add_symbols: there is no target ${target}")
	endif()

	# Ninja makes the folders of outputs, make does not; the program's own is there when the program is.
	set(make_folder "")
	if(arg_OUTPUT)
		cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
		cmake_path(GET arg_OUTPUT PARENT_PATH folder)
		set(make_folder COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}")
	else()
		_locus_target_files(${target} file)
		set(arg_OUTPUT "${file}.locus")
	endif()

	# Ninja goes by what was built of what, so that an output with the right bytes may keep its time, and what is made of
	# it is not made again. make goes by time alone.
	if(CMAKE_GENERATOR MATCHES "Ninja")
		list(PREPEND arg_OPTIONS --keep-unchanged)
	endif()
	set(jobserver "")
	if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28)
		set(jobserver JOB_SERVER_AWARE TRUE)
	endif()

	add_custom_command(
		OUTPUT "${arg_OUTPUT}"
		${make_folder}
		COMMAND "${LOCUS_EXECUTABLE}" convert -o "${arg_OUTPUT}" --depfile "${arg_OUTPUT}.d" ${arg_OPTIONS}
			"$<TARGET_FILE:${target}>"
		DEPENDS ${target} "${LOCUS_EXECUTABLE}"
		DEPFILE "${arg_OUTPUT}.d"
		COMMENT "Making the symbols of ${target}"
		VERBATIM
		${jobserver})
	add_custom_target(${target}_symbols ALL DEPENDS "${arg_OUTPUT}")
endfunction()
