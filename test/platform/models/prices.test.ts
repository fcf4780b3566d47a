import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costMicros, modelPrices } from '../../../packages/core/src/platform/models/prices.ts'

describe('costMicros', () => {
  it('charges input and output at their own price', () => {
    expect(costMicros('claude-sonnet-5-5', { inputTokens: 1_000_000, outputTokens: 1_000_000 })).toEqual({
      micros: 12_000_000,
      priced: true,
    })
  })

  it('rounds half up', () => {
    const own = { m: { input: 1, output: 1 } }
    expect(costMicros('m', { inputTokens: 499_999, outputTokens: 0 }, own).micros).toBe(0)
    expect(costMicros('m', { inputTokens: 499_999, outputTokens: 1 }, own).micros).toBe(1)
    expect(costMicros('m', { inputTokens: 1_499_999, outputTokens: 0 }, own).micros).toBe(1)
  })

  it('stays exact where floating point does not', () => {
    const own = { m: { input: 30_000_001, output: 0 } }
    expect(costMicros('m', { inputTokens: 400_000_000_003, outputTokens: 0 }, own).micros).toBe(
      12_000_000_400_090,
    )
  })

  it('knows a model by its name without the date', () => {
    const usage = { inputTokens: 1000, outputTokens: 1000 }
    const plain = costMicros('claude-sonnet-4-5', usage)
    expect(plain.micros).toBe(18_000)
    expect(costMicros('claude-sonnet-4-5-20250929', usage)).toEqual(plain)
    expect(costMicros('gpt-5.4-2026-03-05', usage)).toEqual(costMicros('gpt-5.4', usage))
  })

  it('has no price for unknown models and names of object members', () => {
    for (const model of ['llama3', 'claude-sonnet-9', 'constructor', '__proto__']) {
      expect(costMicros(model, { inputTokens: 5_000_000, outputTokens: 5_000_000 })).toEqual({
        micros: 0,
        priced: false,
      })
    }
  })

  it('prefers configured prices', () => {
    const own = { llama3: { input: 2_000_000, output: 0 }, 'gpt-5': { input: 0, output: 0 } }
    expect(costMicros('llama3', { inputTokens: 3, outputTokens: 0 }, own)).toEqual({
      micros: 6,
      priced: true,
    })
    expect(costMicros('gpt-5', { inputTokens: 9_000_000, outputTokens: 0 }, own)).toEqual({
      micros: 0,
      priced: true,
    })
  })

  it('charges long requests at their higher price, from the first token', () => {
    expect(costMicros('claude-haiku-5-5', { inputTokens: 100_000, outputTokens: 0 }).micros).toBe(10_000)
    expect(costMicros('claude-haiku-5-5', { inputTokens: 100_001, outputTokens: 0 }).micros).toBe(50_001)
  })

  it('prices the built-in writer at zero', () => {
    expect(costMicros('builtin-writer', { inputTokens: 500, outputTokens: 900 })).toEqual({
      micros: 0,
      priced: true,
    })
  })

  it('contains integers only, and never returns a fraction', () => {
    for (const price of Object.values(modelPrices)) {
      for (const each of [price.input, price.output, price.long?.input ?? 0])
        expect(Number.isInteger(each)).toBe(true)
    }
    const tokens = fc.nat({ max: 2_000_000_000 })
    const names = fc.constantFrom(...Object.keys(modelPrices))
    fc.assert(
      fc.property(names, tokens, tokens, (model, inputTokens, outputTokens) => {
        const { micros, priced } = costMicros(model, { inputTokens, outputTokens })
        expect(priced).toBe(true)
        expect(Number.isSafeInteger(micros)).toBe(true)
      }),
    )
  })

  it('rejects fractions of tokens', () => {
    expect(() => costMicros('gpt-5', { inputTokens: 0.5, outputTokens: 0 })).toThrow(RangeError)
  })
})
