/** Bytes that can be read from any place: a file on disk, or one in the browser. */

/** A file of known size. */
export interface ByteSource {
  readonly size: number;
  /** Reads the bytes from one position up to another, both inside the file. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Is called after each unpacked part, which may be far more than was read. @throws if reading has to end */
  step?(): Promise<void>;
}

/** The bytes of a file in the browser. */
export const blobBytes = (blob: Blob): ByteSource => ({
  size: blob.size,
  read: async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
});
