// Vectors and matrices of numbers, as arrays and arrays of rows.

export function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function mean(values) {
  return sum(values) / values.length;
}

export function minus(one, other) {
  return one.map((value, at) => value - other[at]);
}

export function divided(one, other) {
  return one.map((value, at) => value / other[at]);
}

export function dot(one, other) {
  const products = one.map((value, at) => value * other[at]);
  return sum(products);
}

// A matrix times a vector.
export function times(rows, vector) {
  return rows.map((row) => dot(row, vector));
}

// The matrix of the products of each value of one vector with each of another.
export function outer(one, other) {
  return one.map((left) => other.map((right) => left * right));
}

// The vector of what `make` makes of the values of these vectors at each place.
export function atEach(vectors, make) {
  return vectors[0].map((_, at) => {
    const values = vectors.map((vector) => vector[at]);
    return make(values);
  });
}

// The matrix of what `make` makes of the values of these matrices at each place.
export function inEach(matrices, make) {
  return atEach(matrices, (rows) => atEach(rows, make));
}

export function transposed(rows) {
  return atEach(rows, (column) => column);
}

// The first k rows and columns of a matrix.
export function corner(matrix, k) {
  const rows = matrix.slice(0, k);
  return rows.map((row) => row.slice(0, k));
}

export function identity(size) {
  const places = [...Array(size).keys()];
  const one = (i, j) => Number(i === j);
  return places.map((i) => places.map((j) => one(i, j)));
}
