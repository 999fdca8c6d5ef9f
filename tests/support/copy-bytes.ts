/** Writes PostgreSQL's binary COPY format, for tests of its reader. */

/** One field: its bytes, or null. */
export type Field = Uint8Array | null;

const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');

export interface CopyOptions {
  /** Bytes of a header extension, which readers have to skip. */
  extension?: Uint8Array;
}

/** Makes the bytes of a complete COPY. */
export function copyBytes(rows: readonly (readonly Field[])[], options: CopyOptions = {}): Buffer {
  const header = Buffer.from(HEADER);
  const extension = options.extension ?? new Uint8Array(0);
  header.writeInt32BE(extension.length, HEADER.length - 4);
  const parts: Uint8Array[] = [header, extension];
  for (const row of rows) {
    parts.push(int2(row.length));
    for (const field of row) {
      parts.push(int4(field === null ? -1 : field.length));
      if (field) parts.push(field);
    }
  }
  return Buffer.concat([...parts, int2(-1)]);
}

const written = (length: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(length);
  write(buffer);
  return buffer;
};

export const bool = (value: boolean) => Buffer.from([value ? 1 : 0]);
export const int2 = (value: number) => written(2, (b) => b.writeInt16BE(value));
export const int4 = (value: number) => written(4, (b) => b.writeInt32BE(value));
export const int8 = (value: number | bigint) => written(8, (b) => b.writeBigInt64BE(BigInt(value)));
export const float4 = (value: number) => written(4, (b) => b.writeFloatBE(value));
export const float8 = (value: number) => written(8, (b) => b.writeDoubleBE(value));
export const text = (value: string) => Buffer.from(value);

const MILLISECONDS_TO_2000 = Date.UTC(2000, 0, 1);

/** `iso` is a day such as `2024-02-29`. */
export const date = (iso: string) =>
  int4((Date.parse(`${iso}T00:00:00Z`) - MILLISECONDS_TO_2000) / 86_400_000);

/** `iso` is an instant in UTC; `microseconds` are added to it. */
export const timestamp = (iso: string, microseconds = 0) =>
  int8(BigInt(Date.parse(iso) - MILLISECONDS_TO_2000) * 1000n + BigInt(microseconds));

const SPECIAL_SIGNS: Record<string, number> = {
  NaN: 0xc000,
  Infinity: 0xd000,
  '-Infinity': 0xf000,
};

/** `value` is decimal text such as `-12.340`, or `NaN`, `Infinity`, `-Infinity`. */
export function numeric(value: string): Buffer {
  const special = SPECIAL_SIGNS[value];
  if (special !== undefined) return words([0, 0, special, 0]);
  const [, minus, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(value) ?? [];
  const padded = whole.padStart(4 * Math.ceil(whole.length / 4), '0');
  const all = padded + fraction.padEnd(4 * Math.ceil(fraction.length / 4), '0');
  const digits = (all.match(/\d{4}/g) ?? []).map(Number);
  let weight = padded.length / 4 - 1;
  while (digits[0] === 0) {
    digits.shift();
    weight -= 1;
  }
  while (digits.at(-1) === 0) digits.pop();
  const sign = minus && digits.length > 0 ? 0x4000 : 0;
  return words([digits.length, digits.length > 0 ? weight : 0, sign, fraction.length, ...digits]);
}

const words = (values: number[]): Buffer =>
  Buffer.concat(values.map((v) => written(2, (b) => b.writeUInt16BE(v & 0xffff))));
