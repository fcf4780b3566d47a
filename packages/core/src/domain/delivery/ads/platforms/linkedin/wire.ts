import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { readRest } from '../../../publishing/connectors/linkedin/rest.ts'
import { listTooLong } from '../../../publishing/connectors/requests.ts'
import { decimalMicros } from '../values.ts'

/** LinkedIn's numbers for accounts and campaigns. */
export const idNumber = z.union([z.int().min(0), z.string().regex(/^\d{1,20}$/)]).transform(String)

export const Money = z.object({ amount: decimalMicros, currencyCode: z.string() })

const finder = { 'x-restli-method': 'FINDER' }
const mostPages = 20

/**
 * Everything that a search finds.
 * @param how `whole`: a list that is longer than what is read is refused, where a part of it says the wrong thing
 */
export async function searchAll<S extends z.ZodType>(
  call: PlatformCall,
  path: string,
  item: S,
  { whole = false } = {},
): Promise<Array<z.output<S>>> {
  const Page = z.object({
    elements: z.array(item),
    metadata: z.object({ nextPageToken: z.string().optional() }).optional(),
  })
  const all: Array<z.output<S>> = []
  let token: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const more = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`
    const { elements, metadata } = await readRest(call, `${path}?q=search&pageSize=100${more}`, Page, finder)
    all.push(...elements)
    token = metadata?.nextPageToken
    if (token === undefined) return all
  }
  if (whole) throw listTooLong()
  return all
}

/** Nothing but a number becomes part of an address. @throws TypeError */
export function numberIn(id: string): string {
  const found = /^(?:urn:li:sponsoredAccount:)?(\d{1,20})$/.exec(id)?.[1]
  if (found === undefined) throw new TypeError(`"${id}" is no id of LinkedIn's`)
  return found
}
