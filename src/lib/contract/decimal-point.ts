/**
 * A number with its decimal point moved `places` to the right. It moves the exponent in the text, since a
 * product would be rounded: 5e-12 × 10^11 is not 0.5.
 */
export function movePoint(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
