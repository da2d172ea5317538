// Shared by the two units of the C++ program: templates, virtual functions, namespaces.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace geometry {

template <typename T> struct Point {
	T x, y;
	T dot(const Point &other) const { return x * other.x + y * other.y; }
	Point operator+(const Point &other) const { return {x + other.x, y + other.y}; }
};

class Shape {
public:
	explicit Shape(std::string name) : name_(std::move(name)) {}
	virtual ~Shape() = default;
	virtual double area() const = 0;
	virtual void scale(double by) { factor_ *= check(by); }
	const std::string &name() const { return name_; }

protected:
	static double check(double by)
	{
		if (by <= 0)
			throw std::invalid_argument("scale");
		return by;
	}
	double factor_ = 1;

private:
	std::string name_;
};

class Circle final : public Shape {
public:
	explicit Circle(double radius);
	double area() const override;

private:
	double radius_;
};

class Box : public Shape {
public:
	Box(double w, double h);
	double area() const override;
	void scale(double by) override;

private:
	double w_, h_;
};

template <typename T, typename F> T fold(const std::vector<T> &values, T start, F &&step)
{
	for (const T &value : values)
		start = step(start, value);
	return start;
}

int first_twin(int n);
int second_twin(int n);
std::vector<std::unique_ptr<Shape>> make_shapes(int count);

} // namespace geometry
