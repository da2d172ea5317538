/* How many processors this process may use. */
#ifndef LOCUS_PROCESSORS_H
#define LOCUS_PROCESSORS_H

enum { JOB_MAX = 1024 }; /* the most threads or processes at one time: the limit of -j */

/* At least 1, at most JOB_MAX. */
unsigned processor_count(void);

#endif
