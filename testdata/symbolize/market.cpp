// A program to profile: short functions of its own and of the C++ library, inlined into each other.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace market {
class dice {
public:
	uint32_t roll(uint32_t sides)
	{
		state = state * 1664525u + 1013904223u;
		return (state >> 8) % sides;
	}

private:
	uint32_t state = 1;
};

struct offer {
	std::string name;
	uint32_t price;
	bool is_cheaper(const offer &other) const
	{
		return price != other.price ? price < other.price : name < other.name;
	}
};

static std::string name_of(dice &dice)
{
	std::string name = "offer ";
	for (int i = 0; i < 6; i++)
		name += static_cast<char>('a' + dice.roll(26));
	return name;
}

__attribute__((noinline)) static std::vector<offer> open(dice &dice, size_t count)
{
	std::vector<offer> offers;
	for (size_t i = 0; i < count; i++)
		offers.push_back({name_of(dice), dice.roll(100)});
	return offers;
}

__attribute__((noinline)) static uint64_t sell(std::vector<offer> &offers)
{
	std::map<uint32_t, uint64_t> sold;
	std::sort(offers.begin(), offers.end(), [](const offer &a, const offer &b) { return a.is_cheaper(b); });
	for (const offer &offer : offers)
		sold[offer.price] += offer.name.size();
	return sold.size();
}
} // namespace market

int main(int argc, char **argv)
{
	market::dice dice;
	uint64_t sum = 0;
	for (int day = argc > 1 ? std::atoi(argv[1]) : 100; day > 0; day--) {
		std::vector<market::offer> offers = market::open(dice, 2000);
		sum += market::sell(offers);
	}
	return sum == 0;
}
