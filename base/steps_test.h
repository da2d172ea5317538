/* For tests of what work is counted: a budget that ends after so many steps. */
#ifndef LOCUS_STEPS_TEST_H
#define LOCUS_STEPS_TEST_H

#include "base/budget.h"

/* Makes `budget` the one that this thread works for, until budget_use(NULL). */
static inline void budget_of_steps(struct budget *budget, uint64_t steps)
{
	budget_init(budget, 0);
	atomic_store(&budget->work_left, (int64_t)steps);
	budget_use(budget);
}

static inline uint64_t budget_steps_left(struct budget *budget)
{
	return (uint64_t)atomic_load(&budget->work_left);
}

#endif
