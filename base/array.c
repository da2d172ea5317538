/* Arrays grow by half, so that they seldom have twice the room that they need. */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

bool array_grow(void *array, uint32_t *room, uint64_t count, size_t element_size)
{
	enum { FIRST_ROOM = 64 };
	if (count > UINT32_MAX / 2)
		return false;
	uint32_t wanted = *room ? *room + *room / 2 : FIRST_ROOM;
	wanted = wanted < count ? (uint32_t)count : wanted;
	if (!budget_take((uint64_t)(wanted - *room) * element_size))
		return false;
	void *old;
	memcpy(&old, array, sizeof(old)); /* the pointer's type is unknown here, so only its bytes may be read */
	void *grown = realloc(old, wanted * element_size);
	if (!grown)
		return budget_memory_out();
	memcpy(array, &grown, sizeof(grown));
	*room = wanted;
	return true;
}
