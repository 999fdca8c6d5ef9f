/** A number with its decimal point moved to the right, exactly: 5e-12 × 10^11 would not be 0.5. */
export function movePoint(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
