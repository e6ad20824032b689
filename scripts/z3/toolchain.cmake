# How the vendored Z3 is compiled: with less work for the compiler than by default, and the same code.
# Named by .cargo/config.toml; read by cmake before Z3's own files.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "as for a distribution's package; -O3 takes a third longer")
set(CMAKE_PROJECT_Z3_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/precompiled.cmake")
