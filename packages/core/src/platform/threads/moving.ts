const moved = new WeakMap<object, readonly Uint8Array[]>()

/**
 * Has bytes of a thread's result go to the one who asked, rather than a copy of them: the thread has them no more.
 * @param bytes each in a buffer of its own, which a small `Buffer` is not
 */
export function moving<T extends object>(result: T, bytes: readonly Uint8Array[]): T {
  moved.set(result, bytes)
  return result
}

/** The buffers that go with a result. */
export const movedWith = (result: unknown): ArrayBuffer[] =>
  (moved.get(result as object) ?? []).map(({ buffer }) => buffer as ArrayBuffer)
