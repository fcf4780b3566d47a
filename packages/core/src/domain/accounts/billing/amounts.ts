/** Hundredths of a per cent in a whole. */
const whole = 10_000n

/** A part of an amount in whole units; half a unit goes away from zero, so that a credit is what the charge was. */
export function partOf(amount: number, part: number | bigint, of: number | bigint = whole): number {
  const product = BigInt(amount) * BigInt(part)
  const divisor = BigInt(of)
  const size = product < 0n ? -product : product
  const rounded = (size * 2n + divisor) / (divisor * 2n)
  return Number(product < 0n ? -rounded : rounded)
}

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string): Intl.NumberFormat {
  let format = formats.get(currency)
  if (!format) {
    format = new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', { style: 'currency', currency })
    formats.set(currency, format)
  }
  return format
}

/** How many digits of the smallest unit stand after the point: 2 for most currencies, none for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2
}

/** What prices are multiples of, in the smallest unit: providers charge three decimals in steps of ten. */
export function stepOf(currency: string): number {
  return decimalsOf(currency) === 3 ? 10 : 1
}

/** An amount as people read it, such as `₹6,999.00`. @param amount in the smallest unit of the currency */
export function formatAmount(amount: number, currency: string): string {
  const decimals = decimalsOf(currency)
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0')
  const at = digits.length - decimals
  const exact = `${amount < 0 ? '-' : ''}${digits.slice(0, at)}${decimals > 0 ? `.${digits.slice(at)}` : ''}`
  // As text, so that no digit is lost on the way through a fraction.
  return formatOf(currency).format(exact as Intl.StringNumericLiteral)
}

/** Micro-dollars in full, such as `$12.000001`. */
export function formatMicros(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  return `$${digits.slice(0, -6)}.${digits.slice(-6)}`
}
