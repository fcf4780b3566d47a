import { z } from 'zod'

/** Currencies whose budgets Meta has in whole units; they are not those of ISO 4217. */
const whole = 'CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND'
/** All others that it takes, in hundredths. */
const parted =
  'AED ARS AUD BDT BOB BRL CAD CHF CNY CZK DKK DZD EGP EUR GBP GTQ HKD HNL ILS INR KES MOP MXN MYR NGN NIO NOK NZD PEN PHP PKR PLN QAR RON SAR SEK SGD THB TRY USD UYU ZAR'

const units = new Map([
  ...whole.split(' ').map((currency) => [currency, 1_000_000] as const),
  ...parted.split(' ').map((currency) => [currency, 10_000] as const),
])

/** What one unit of a budget is worth, in millionths of the currency; undefined where that is not known. */
export const unitOf = (currency: string): number | undefined => units.get(currency)

/** Whole numbers are texts in Meta's answers; what no number holds exactly is refused. */
export const wholeNumber = z
  .union([z.string().regex(/^\d{1,16}$/), z.int().min(0)])
  .transform(Number)
  .refine(Number.isSafeInteger, 'is too large')

/** A budget in Meta's units; in no currency is one beyond a number of ours then. */
export const budgetUnits = wholeNumber.refine((units) => units <= 9_000_000_000, 'is too large')
