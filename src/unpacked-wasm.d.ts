/** The URL of a WebAssembly module that a package contains compressed; see vite.config.ts. */
declare module '*.wasm?unpacked' {
  const url: string;
  export default url;
}

declare module 'pro_self_extracting_wasm' {
  /** Decompresses the module that a module contains. */
  export function extract(packed: Uint8Array): Promise<Uint8Array>;
}
