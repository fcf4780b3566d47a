import fc from 'fast-check'
import { expect } from 'vitest'
import type { Model } from './pieces.ts'
import type { RealSystem } from './system.ts'

export type Answer = Awaited<ReturnType<RealSystem['post']>>
export type Command = fc.AsyncCommand<Model, RealSystem>

/** A number for `choose`. */
export const which = fc.nat({ max: 5 })

/** One of several, the newest for 0: mostly one with which something can happen, now and then any. */
export function choose<T>(items: readonly T[], isLikely: (item: T) => boolean, number: number): T {
  const likely = items.filter(isLikely)
  const among = number < 4 && likely.length > 0 ? likely : items
  return among.toReversed()[(number % 4) % among.length] as T
}

/** The answer must be so: a status, with its code when it is a refusal. */
export function expectAnswer({ status, code }: Answer, to: string, expected: string): void {
  expect(code === undefined ? `${status}` : `${status} ${code}`, to).toBe(expected)
}

export function expectWoken({ body }: Answer, woken: number): void {
  expect(body['reEnqueuedActivities']).toBe(woken)
}

/** A step of a story: where it applies, what it does and asserts, and how a failure shows it. */
export function step(
  name: string,
  applies: (model: Readonly<Model>) => boolean,
  act: (model: Model, system: RealSystem) => Promise<void>,
): Command {
  return {
    check: applies,
    async run(model, system) {
      await act(model, system)
      await system.settle(model)
    },
    toString: () => name,
  }
}
