/* Pages of memory of the processes that texts and files tell of. */
#ifndef LOCUS_PAGE_SIZE_H
#define LOCUS_PAGE_SIZE_H

/* The smallest that a machine has, as x86. Larger ones are multiples of it. */
enum { PAGE_SIZE_MIN = 4096 };

#endif
