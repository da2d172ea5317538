// A kernel module that crashes when its parameter `order` is written: on a null pointer, in an inlined function.
#include <linux/module.h>
#include <linux/moduleparam.h>

struct order {
	int price, count;
};

static __always_inline int total(const struct order *orders, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += READ_ONCE(orders[i].price) * orders[i].count;
	return sum;
}

static noinline int invoice(const struct order *orders, int count)
{
	return total(orders, count) + 1;
}

static noinline int serve(const char *how)
{
	struct order *orders = NULL;

	WARN(!orders, "an order without anything in it\n");
	return invoice(orders, how[0] - '0') + 1;
}

static int set_order(const char *value, const struct kernel_param *unused)
{
	return serve(value) & 0;
}

static const struct kernel_param_ops order_ops = {.set = set_order};
module_param_cb(order, &order_ops, NULL, 0200);
MODULE_LICENSE("Dual MIT/GPL");
