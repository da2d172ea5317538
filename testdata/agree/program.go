// Methods, closures, generics and inlinable functions.
package main

import "os"

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return double(s.side) * s.side / 2 }

func double(x int) int { return x + x }

func largest[T int | uint8](values []T) T {
	var most T
	for _, value := range values {
		if value > most {
			most = value
		}
	}
	return most
}

func main() {
	total := 0
	add := func(s shape) { total += s.area() }
	for i := range os.Args {
		add(square{i + 1})
	}
	os.Exit(total + largest([]int{1, len(os.Args)}))
}
