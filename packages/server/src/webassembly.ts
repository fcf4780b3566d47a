import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 keep the compiled code of WebAssembly until the process ends, a few hundred kilobytes. When it collects code through which
 * WebAssembly calls JavaScript, as in node's client for requests, V8 13.6 may look for it in pages that are gone with a thread, and ends
 * the process (“Check failed: jit_page.has_value()”).
 */
export function keepWebAssemblyCode(): void {
  setFlagsFromString('--no-wasm-code-gc')
}
