// The second unit of the C++ program: virtual functions, identical functions, an anonymous namespace.
#include "shape.hpp"

namespace {

double square(double value)
{
	return value * value;
}

struct Counter {
	int made = 0;
	int next() { return ++made; }
};

Counter counter;

} // namespace

namespace geometry {

Circle::Circle(double radius) : Shape("circle" + std::to_string(counter.next())), radius_(radius) {}

double Circle::area() const
{
	return 3.14159 * square(radius_ * factor_);
}

Box::Box(double w, double h) : Shape("box" + std::to_string(counter.next())), w_(w), h_(h) {}

double Box::area() const
{
	return w_ * h_ * square(factor_);
}

void Box::scale(double by)
{
	try {
		Shape::scale(by);
	} catch (const std::invalid_argument &) {
		factor_ = 1;
		if (by < -1)
			throw;
	}
}

int first_twin(int n)
{
	return (n + 5) * 11;
}

int second_twin(int n)
{
	return (n + 5) * 11;
}

std::vector<std::unique_ptr<Shape>> make_shapes(int count)
{
	std::vector<std::unique_ptr<Shape>> shapes;
	for (int i = 0; i < count; i++) {
		if (i % 3)
			shapes.push_back(std::make_unique<Circle>(i));
		else
			shapes.push_back(std::make_unique<Box>(i, i + 1));
	}
	return shapes;
}

} // namespace geometry
