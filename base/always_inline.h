/* For a function of a hot loop that must be compiled into it, where the compiler would rather call it. */
#ifndef LOCUS_ALWAYS_INLINE_H
#define LOCUS_ALWAYS_INLINE_H

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
