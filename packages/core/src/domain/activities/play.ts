import type { Clock } from '../../platform/clock.ts'
import { preview } from '../content/preview.ts'

/** 500 tokens a second, of which one is four characters. */
const charsPerSecond = 2_000

/** How often some of it is told, milliseconds. */
const stepMs = 50

/**
 * Tells a text evenly, at the pace of somebody who reads along.
 * @param from how many characters are known already
 * @param listener `part` is given what comes next and the length of all so far; `end` follows once, after the last part
 * @returns a function that stops it
 */
export function playText(
  clock: Clock,
  text: string,
  from: number,
  listener: { part(delta: string, length: number): void; end(): void },
): () => void {
  const began = clock.now()
  let length = from
  let cancel: () => void = () => undefined
  const step = () => {
    const due = from + Math.floor(((clock.now() - began) * charsPerSecond) / 1_000)
    const rest = text.slice(length)
    const delta = due >= text.length ? rest : preview(rest, Math.max(0, due - length))
    if (delta !== '') {
      length += delta.length
      listener.part(delta, length)
    }
    if (length >= text.length) listener.end()
    else cancel = clock.after(stepMs, step)
  }
  step()
  return () => cancel()
}
