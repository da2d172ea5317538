/* Memory for commands, which have nothing better to do without it than to say so and end. */
#ifndef LOCUS_MEMORY_H
#define LOCUS_MEMORY_H

/* Gives back what an allocation gave; where that is NULL, says that memory is out and ends the program. */
void *memory_checked(void *memory);

#endif
