// The C++ program of the agreement matrix: lambdas, local classes, templates, exceptions, virtual calls.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "shape.hpp"

using geometry::Point;

namespace {

template <int N> int power(int base)
{
	if constexpr (N == 0)
		return 1;
	else
		return base * power<N - 1>(base);
}

int operator""_half(unsigned long long value)
{
	return static_cast<int>(value / 2);
}

struct Tally {
	std::map<std::string, int> counts;
	int &operator[](const std::string &key) { return counts[key]; }
	template <typename T> void add(const T &items)
	{
		for (const auto &item : items)
			++(*this)[item->name().substr(0, 3)];
	}
};

int risky(int n)
{
	struct Local {
		int twice(int value) const { return value * 2 + 84_half; }
	};
	if (n > 100)
		throw std::runtime_error("risky " + std::to_string(n));
	return Local{}.twice(n);
}

} // namespace

int main(int argc, char **argv)
{
	int count = argc > 1 ? std::atoi(argv[1]) : 12;
	auto shapes = geometry::make_shapes(count);
	for (auto &shape : shapes)
		shape->scale(1.5);
	std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
	std::vector<double> areas;
	for (const auto &shape : shapes)
		areas.push_back(shape->area());
	double limit = 30;
	double total = geometry::fold(areas, 0.0, [&](double sum, double area) { return area > limit ? sum + area : sum; });
	Tally tally;
	tally.add(shapes);
	int caught = 0;
	for (int n = 90; n < 110; n++) {
		try {
			caught += risky(n);
		} catch (const std::runtime_error &error) {
			caught -= static_cast<int>(std::string(error.what()).size());
		}
	}
	Point<int> p{count, 2}, q{3, 4};
	Point<double> r{1.5, 2.5};
	std::printf("%.2f %d %d %d %.1f %d\n", total, tally["cir"], caught, (p + q).dot(q), r.dot(r), power<4>(count));
	return geometry::first_twin(count) - geometry::second_twin(count);
}
