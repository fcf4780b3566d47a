import type { Ctx } from '../../../kernel/context.ts'
import { preview } from '../../../kernel/text.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Replayable } from './replay-queries.ts'
import type { StreamCursor } from './stream.ts'

/** A text, and what it is kept under: a version has no attempts. */
interface KeptText {
  id: string
  attempt: number
  text: string
}

/** The newest version, or what the last run has written where there is none. */
export async function newestText(ctx: Ctx, { output, lastRun }: Replayable): Promise<KeptText> {
  if (output) return { id: output.id, attempt: 0, text: output.text }
  if (!lastRun) return { id: '0'.repeat(26), attempt: 0, text: '' }
  const { runId, attempt } = lastRun
  return { id: runId, attempt, text: await ctx.services.deltas.textOf(lastRun) }
}

/** How much of the newest text a reader has who was told some text before. */
export async function seenOf(
  ctx: Ctx,
  { output }: Replayable,
  newest: KeptText,
  seen: StreamCursor | undefined,
): Promise<number> {
  const before = seen?.text
  if (!before) return 0
  if (before.runId === newest.id && before.attempt === newest.attempt)
    return Math.min(before.length, newest.text.length)
  // Read live from the run that made this version.
  if (before.runId !== output?.runId) return 0
  const told = (await ctx.services.deltas.textOf(before)).slice(0, before.length)
  return newest.text.startsWith(told) ? told.length : 0
}

/** 500 tokens a second, of which one is four characters. */
const charsPerSecond = 2_000

/** How often some of it is told, milliseconds. */
const stepMs = 50

/**
 * Tells a text evenly, at the pace of someone who reads along.
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
