# Most of the time of compiling Z3 goes into reading the same headers, and instantiating the same templates, 900 times.
# So: one precompiled header for all parts, and files compiled eight at a time where that is possible.

# Parts whose files cannot be compiled together.
set(CLINCH_ONE_BY_ONE api ast cmd_context model nlsat portfolio qe_lite smt smtlogic_tactics z3_opt)

function(clinch_collect_targets directory result)
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(children DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(child IN LISTS children)
        clinch_collect_targets("${child}" below)
        list(APPEND targets ${below})
    endforeach()
    set(${result} ${targets} PARENT_SCOPE)
endfunction()

function(clinch_precompile_headers)
    clinch_collect_targets("${CMAKE_SOURCE_DIR}" targets)
    target_precompile_headers(util PRIVATE
        <algorithm> <atomic> <functional> <iostream> <map> <memory> <mutex> <sstream> <string> <unordered_map> <vector>
        "${CMAKE_SOURCE_DIR}/src/ast/ast.h")
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "OBJECT_LIBRARY" AND NOT target STREQUAL "util")
            target_precompile_headers(${target} REUSE_FROM util)
        endif()
        if(type STREQUAL "OBJECT_LIBRARY" AND NOT target IN_LIST CLINCH_ONE_BY_ONE)
            set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
        endif()
    endforeach()
endfunction()

# After all of Z3's own files are read, when every part is known.
cmake_language(DEFER CALL clinch_precompile_headers)
