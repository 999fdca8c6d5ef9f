/** Addresses of cells, such as AB3. */

/** Returns the name of a column by its position: A, B, … Z, AA. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last;
}

/** Returns the position of the column of an address; -1 if it is none. */
export function columnOf(address: string): number {
  let column = 0;
  // The last column has three letters.
  for (let i = 0; i < Math.min(address.length, 4); i++) {
    const letter = address.charCodeAt(i) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}
