/**
 * Frees bytes that no one reads any more: until then they count as part of the heap, and V8 collects all of it, which holds up the event loop,
 * whenever ten megabytes or so have come together. Bytes in a buffer that they do not fill, such as small `Buffer`s, stay: others are in it too.
 */
export function release(bytes: Uint8Array): void {
  const buffer = bytes.buffer as ArrayBuffer
  if (!buffer.detached && bytes.byteLength === buffer.byteLength) buffer.transfer(0)
}
