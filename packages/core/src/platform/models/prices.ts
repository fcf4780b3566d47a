/** What a model costs, in micro-dollars (millionths of a US dollar) per million tokens; integers. */
export interface ModelPrice {
  input: number
  output: number
  /** Another price for the whole request when its input has more tokens than `over`. */
  long?: { over: number; input: number; output: number }
}

/** Prices by model name, without a date at its end. */
export type PriceTable = Readonly<Record<string, ModelPrice>>

/** A price as people state it: US dollars per million tokens, with at most six decimals. */
export interface NamedPrice {
  model: string
  input: number
  output: number
}

const usd = (input: number, output: number): ModelPrice => ({
  input: Math.round(input * 1_000_000),
  output: Math.round(output * 1_000_000),
})
const longer = (price: ModelPrice, over: number, long: ModelPrice): ModelPrice => ({
  ...price,
  long: { over, input: long.input, output: long.output },
})

export function toPriceTable(prices: readonly NamedPrice[]): PriceTable {
  return Object.fromEntries(prices.map(({ model, input, output }) => [model, usd(input, output)]))
}

/** List prices of the hosted models in US dollars per million tokens, as the vendors published them in November 2026. */
export const modelPrices: PriceTable = {
  'builtin-writer': usd(0, 0),

  'claude-fable-5': usd(10, 50),
  'claude-fable-5-1': usd(10, 50),
  'claude-opus-5-5': usd(4, 20),
  'claude-opus-5': usd(5, 25),
  'claude-opus-4-8': usd(5, 25),
  'claude-opus-4-7': usd(5, 25),
  'claude-opus-4-6': usd(5, 25),
  'claude-opus-4-5': usd(5, 25),
  'claude-opus-4-1': usd(15, 75),
  'claude-sonnet-5-5': usd(2, 10),
  'claude-sonnet-5': usd(2, 10),
  'claude-sonnet-4-6': usd(3, 15),
  'claude-sonnet-4-5': usd(3, 15),
  'claude-haiku-5-5': longer(usd(0.1, 0.5), 100_000, usd(0.5, 2.5)),
  'claude-haiku-4-5': usd(1, 5),

  'gpt-5.6-sol': longer(usd(5, 30), 272_000, usd(10, 45)),
  'gpt-5.6-terra': longer(usd(2, 12), 272_000, usd(4, 18)),
  'gpt-5.6-luna': longer(usd(0.2, 1.2), 200_000, usd(0.4, 1.8)),
  'gpt-5.5': longer(usd(5, 30), 272_000, usd(10, 45)),
  'gpt-5.4': longer(usd(2.5, 15), 272_000, usd(5, 22.5)),
  'gpt-5.4-mini': usd(0.75, 4.5),
  'gpt-5.4-nano': usd(0.2, 1.25),
  'gpt-5.2': usd(1.75, 14),
  'gpt-5.1': usd(1.25, 10),
  'gpt-5': usd(1.25, 10),
  'gpt-5-mini': usd(0.25, 2),
  'gpt-5-nano': usd(0.05, 0.4),
  'gpt-4.1': usd(2, 8),
  'gpt-4.1-mini': usd(0.4, 1.6),
  'gpt-4.1-nano': usd(0.1, 0.4),
  'gpt-4o': usd(2.5, 10),
  'gpt-4o-mini': usd(0.15, 0.6),

  'text-embedding-3-small': usd(0.02, 0),
  'text-embedding-3-large': usd(0.13, 0),
  'text-embedding-ada-002': usd(0.1, 0),
}

const TOKENS_PER_PRICE = 1_000_000n

/**
 * The price of a call in whole micro-dollars, a half rounded up. Exact at any size: no floating point is involved.
 * A remote runtime reports the sum over its requests, so its run may be charged the price of long requests although no
 * single one was that long: the figure is never too low.
 * @param model as it was asked for; a date at its end (`-20260305`, `-2026-03-05`) does not matter
 * @param usage whole token counts, 0 or more
 * @param own prices that go before the built-in table
 * @returns 0 and `priced: false` for a model without a price
 * @throws {RangeError} when a token count or a price is not a whole number
 */
export function costMicros(
  model: string,
  usage: { inputTokens: number; outputTokens: number },
  own: PriceTable = {},
): { micros: number; priced: boolean } {
  const price = priceOf(model, own)
  if (!price) return { micros: 0, priced: false }
  const rate = price.long && usage.inputTokens > price.long.over ? price.long : price
  const sum =
    BigInt(usage.inputTokens) * BigInt(rate.input) + BigInt(usage.outputTokens) * BigInt(rate.output)
  return { micros: Number((sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE), priced: true }
}

/** The price of a model: one of `own`, else of the built-in table; undefined where it has none. */
export function priceOf(model: string, own: PriceTable = {}): ModelPrice | undefined {
  const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  for (const table of [own, modelPrices])
    for (const name of [model, undated]) if (Object.hasOwn(table, name)) return table[name]
  return undefined
}
