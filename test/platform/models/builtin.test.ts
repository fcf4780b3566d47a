import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../packages/core/src/platform/clock.ts'
import { type Compose, createBuiltinWriter } from '../../../packages/core/src/platform/models/builtin.ts'
import type { ModelCall, ModelRequest, ModelSink } from '../../../packages/core/src/platform/models/port.ts'
import { compose as composeNow } from '../../../packages/writer/src/compose.ts'
import { granola } from '../../writer/granola.ts'

const compose: Compose = async (brief) => composeNow(brief)

/** A clock that moves only when the test advances it. */
function standingClock(): Clock & { waiting(): number; step(): void; asked: number[] } {
  const due = new Map<number, () => void>()
  const asked: number[] = []
  let next = 0
  return {
    now: () => 0,
    date: () => new Date(0),
    after: (ms, fn) => {
      const id = next++
      asked.push(ms)
      due.set(id, fn)
      return () => due.delete(id)
    },
    asked,
    waiting: () => due.size,
    step: () => {
      const [first] = due
      if (!first) throw new Error('nothing waits')
      due.delete(first[0])
      first[1]()
    },
  }
}

function listener(): ModelSink & { deltas: string[]; calls: ModelCall[] } {
  const deltas: string[] = []
  const calls: ModelCall[] = []
  const never = () => {
    throw new Error('the built-in writer calls no tools')
  }
  return {
    deltas,
    calls,
    textDelta: (delta) => deltas.push(delta),
    toolCall: never,
    toolResult: never,
    modelCall: (call) => void calls.push(call),
  }
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'builtin-writer',
  system: '12345',
  prompt: '123',
  maxTurns: 1,
  brief: {
    campaign: 'Spring',
    markdown: granola,
    deliverable: 'blog_post',
    step: { kind: 'draft', title: 'Draft' },
  },
  ...more,
})

describe('createBuiltinWriter', () => {
  it('is always ready, and says that it is not a language model', async () => {
    const writer = createBuiltinWriter({ compose, clock: standingClock() })
    expect(writer).toMatchObject({ id: 'builtin', type: 'builtin', models: ['builtin-writer'] })
    expect(await writer.check()).toMatchObject({ ok: true, message: expect.stringContaining('no model') })
  })

  it('streams in short parts that add up to the text, with an estimate of tokens', async () => {
    const sink = listener()
    const result = await createBuiltinWriter({ compose, clock: standingClock() }).generate(request(), sink)
    expect(sink.deltas.join('')).toBe(result.text)
    expect(sink.deltas.length).toBeGreaterThan(20)
    for (const delta of sink.deltas) expect(delta.trim().split(/\s+/).length).toBeLessThanOrEqual(3)
    expect(result).toMatchObject({ turns: 1, finishReason: 'stop', model: 'builtin-writer' })
    expect(result.usage).toEqual({
      inputTokens: 2,
      outputTokens: Math.ceil(result.text.length / 4),
      estimated: true,
    })
  })

  it('returns the same bytes again', async () => {
    const writer = createBuiltinWriter({ compose, clock: standingClock() })
    const [one, two] = await Promise.all([
      writer.generate(request(), listener()),
      writer.generate(request(), listener()),
    ])
    expect(one?.text).toBe(two?.text)
  })

  it('waits between the parts when configured', async () => {
    const clock = standingClock()
    const sink = listener()
    const writing = createBuiltinWriter({ compose, clock, paceMs: 40 }).generate(request(), sink)
    await settled()
    expect(sink.deltas).toHaveLength(1)
    clock.step()
    await settled()
    expect(sink.deltas).toHaveLength(2)
    while (clock.waiting() > 0) {
      clock.step()
      await settled()
    }
    expect((await writing).text).toBe(sink.deltas.join(''))
    expect(new Set(clock.asked)).toEqual(new Set([40]))
  })

  it('stops waiting when the caller aborts, and leaves no timer behind', async () => {
    const clock = standingClock()
    const sink = listener()
    const stop = new AbortController()
    const writing = createBuiltinWriter({ compose, clock, paceMs: 40 }).generate(
      request({ signal: stop.signal }),
      sink,
    )
    // Watched from the start, so that the rejection has someone to hear it.
    const ended = writing.catch((error: unknown) => error)
    await settled()
    stop.abort(new Error('cancelled'))
    expect(await ended).toMatchObject({ message: 'cancelled' })
    expect(sink.deltas).toHaveLength(1)
    expect(sink.calls).toMatchObject([{ status: 'cancelled', text: sink.deltas[0] }])
    expect(clock.waiting()).toBe(0)
  })

  it('stops between parts without a delay, too', async () => {
    const stop = new AbortController()
    const sink = listener()
    const writing = createBuiltinWriter({ compose, clock: standingClock() }).generate(
      request({ signal: stop.signal }),
      {
        ...sink,
        textDelta: (delta) => {
          sink.textDelta(delta)
          if (sink.deltas.length === 3) stop.abort(new Error('cancelled'))
        },
      },
    )
    await expect(writing).rejects.toThrow('cancelled')
    expect(sink.deltas).toHaveLength(3)
  })

  it('says what it is when there is no brief', async () => {
    const { brief: _, ...bare } = request()
    const { text } = await createBuiltinWriter({ compose, clock: standingClock() }).generate(bare, listener())
    expect(text).toMatch(/cannot answer questions/)
    expect(text).toMatch(/No model was used/)
  })
})

/** Lets everything that is ready to run do so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
