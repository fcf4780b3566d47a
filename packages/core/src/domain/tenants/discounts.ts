/** What is taken off a price: a percentage, an amount, or nothing. */
export interface Discount {
  /** 0 to 100. */
  discountPercent: number | null
  /** In the smallest unit of the price's currency. */
  discountAmount: number | null
}

/**
 * What a discount takes off a price, in whole units: half a unit counts for the customer, and nothing gets cheaper than
 * free. Exact for every price up to `maxAmount`.
 */
export function discountOf(price: { priceAmount: number } & Discount): number {
  const { priceAmount, discountPercent, discountAmount } = price
  const off =
    discountPercent === null ? (discountAmount ?? 0) : Math.floor((priceAmount * discountPercent + 50) / 100)
  return Math.min(priceAmount, off)
}
