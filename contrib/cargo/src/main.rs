//! A program to make symbols of.

fn square(x: usize) -> usize {
    x * x
}

fn main() {
    println!("{}", square(std::env::args().count()));
}
