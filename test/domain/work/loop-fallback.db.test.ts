import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { createLoop, otherModel } from '../../kit/loop.ts'
import { pricedModel } from '../../kit/runtime.ts'

describe('fallback models', () => {
  it.each([
    { status: 503, family: 'transient' },
    { status: 429, family: 'quota' },
    { status: 401, family: 'auth' },
  ])(
    'are called when the first fails with $family; the run names the one that responded',
    async ({ status, family }) => {
      await using loop = await createLoop({
        first: [{ status }],
        second: [{ text: ['A post'], usage: { inputTokens: 1_000, outputTokens: 100 } }],
        fallback: ['nobody-serves-this', otherModel],
      })
      const [run] = await loop.write()
      expect(run).toMatchObject({ status: 'completed', model: otherModel, costMicros: 320, priced: true })
      expect(await loop.calls(run?.id ?? '')).toMatchObject([
        { provider: 'one', model: pricedModel, status: 'failed', family, costMicros: 0 },
        { provider: 'two', model: otherModel, status: 'completed', costMicros: 320 },
      ])
      const [note] = await loop.lines(run?.id ?? '')
      expect(note).toMatchObject({ type: 'system', content: expect.stringContaining(otherModel) })
    },
  )

  it.each([
    ['text was told', { text: ['Once '], cut: true }, 'transient'],
    ['the model refuses', { refused: true }, 'refusal'],
    ['the request is wrong', { status: 400 }, 'invalid'],
  ] as const)('are not called when %s', async (_, reply, family) => {
    await using loop = await createLoop({
      first: [reply],
      second: [{ text: ['A post'] }],
      fallback: [otherModel],
    })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'failed', family })
    expect(loop.second.calls).toHaveLength(0)
  })

  it('that fail as well: the failure that can be retried soonest is reported', async () => {
    const clock = createTestClock()
    await using loop = await createLoop({
      first: [{ status: 429, headers: { 'retry-after': '600' } }],
      second: [{ status: 429, headers: { 'retry-after': '60' } }],
      fallback: [otherModel],
      changes: { clock },
    })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'failed', family: 'quota' })
    const next = await loop.app.db.sql.get<{ not_before: unknown }>(
      'select not_before from runs where open = ?',
      [true],
    )
    expect(new Date(next?.not_before as string | number).getTime() - clock.now()).toBe(60_000)
  })

  it('of an agent precede those of the installation', async () => {
    await using loop = await createLoop({
      first: [{ status: 401 }],
      second: [{ text: ['A post'] }],
      fallback: [otherModel],
    })
    await loop.configure({ adapterConfig: { fallbackModels: [] } })
    const [run] = await loop.write()
    expect(run).toMatchObject({ status: 'failed', family: 'auth' })
    expect(loop.second.calls).toHaveLength(0)
  })
})
