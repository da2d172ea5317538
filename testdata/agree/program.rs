// The Rust program of the agreement matrix: generics, closures, traits, a panic.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self) -> f64;
    fn describe(&self) -> String {
        format!("{:.2}", self.area())
    }
}

struct Square(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

mod inner {
    pub fn fold<T: Copy, F: Fn(T, T) -> T>(items: &[T], start: T, step: F) -> T {
        items.iter().fold(start, |sum, item| step(sum, *item))
    }
}

fn count(words: &[&str]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Square(3.5))];
    let numbers: Vec<i64> = (1..50).filter(|n| n % 3 == 0).collect();
    let total = inner::fold(&numbers, 0, |a, b| a + b * 2);
    if total == 12345 {
        panic!("a number that never comes: {}", total);
    }
    let words = count(&["a", "b", "a"]);
    println!("{} {} {}", shapes[0].describe(), total, words["a"]);
}
