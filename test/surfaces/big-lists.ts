import type { EndpointInfo } from '@copydesk/core'
import { z } from 'zod'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { bigId, bigSize } from '../kit/big-tenant.ts'
import type { TestClock } from '../kit/clock.ts'

/** What the terminal does not delegate. */
const ownOfTerminal = ['cli.queue', 'cli.status']
/** What is read at a platform. */
const elsewhere = 'tenant.campaigns.import_list'

/** Every list of the people's surfaces. */
export const lists = describeSurfaces().filter(
  ({ id, surface, method, kind, definition }) =>
    (['dashboard', 'dm', 'mobile', 'tenant'].includes(surface) || ownOfTerminal.includes(id)) &&
    method === 'GET' &&
    kind === 'json' &&
    id !== elsewhere &&
    definition.names.every((name) => name === 'campaignId' || name === 'deliverableId'),
)

interface QuerySchema {
  properties?: Record<string, { enum?: string[] }>
  required?: string[]
}

export const schemaOf = ({ query }: EndpointInfo['definition']) =>
  (query ? z.toJSONSchema(query, { io: 'input' }) : {}) as QuerySchema

const valuesOf = (field: string, schema: { enum?: string[] }): string[] => {
  if (schema.enum) return schema.enum
  const known: Record<string, string[]> = {
    'filter.agentRole': ['analyst', 'nobody'],
    'filter.campaignId': [bigId('C', 7)],
    'filter.deliverableId': [bigId('D', 7)],
    agent: ['analyst', 'nobody'],
    type: ['social_post', 'outline'],
    all: ['true', 'false'],
  }
  return known[field] ?? []
}

/** As it is, by each value of each filter, by each two of them, in each order; from the start and from the middle. */
export function queriesOf({ id, definition }: EndpointInfo): Array<Record<string, string>> {
  const { properties = {} } = schemaOf(definition)
  const fields = Object.entries(properties).filter(([field]) => field !== 'limit' && field !== 'cursor')
  const single = fields.flatMap(([field, schema]) =>
    valuesOf(field, schema).map((value) => ({ [field]: value })),
  )
  const pairs = single.flatMap((one, i) =>
    single
      .slice(i + 1)
      .flatMap((two) => (Object.keys(one)[0] === Object.keys(two)[0] ? [] : [{ ...one, ...two }])),
  )
  const all: Array<Record<string, string>> = [{}, ...single, ...pairs]
  const middle = id.includes('approvals')
    ? bigId('E', bigSize.approvals / 2)
    : id.includes('activities')
      ? bigId('A', bigSize.activities / 2)
      : id.endsWith('campaigns.list')
        ? bigId('C', bigSize.campaigns / 2)
        : undefined
  // Of other lists the second page is read from where the first one says.
  const isPaged = 'cursor' in properties && middle !== undefined
  return all.flatMap((query) => (isPaged ? [query, { ...query, cursor: middle }] : [query]))
}

/** Reads everything in pages of changing size, while something is put before and behind the place of reading. */
export async function readAll(
  clock: TestClock,
  read: (query: { limit: number; cursor?: string }) => Promise<{
    data: Array<{ id: string }>
    pagination: { nextCursor: string | null }
  }>,
  sizes: number[],
  between: () => Promise<unknown>,
) {
  const seen: string[] = []
  let cursor: string | null = null
  for (let i = 0; ; i += 1) {
    const page = await read({
      limit: sizes[i % sizes.length] as number,
      ...(cursor !== null && { cursor }),
    })
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.pagination.nextCursor
    if (cursor === null) return seen
    if (i % 3 === 0) await between()
    clock.advance(20)
    // So many requests would be more than a minute allows.
    if (i % 50 === 49) clock.advance(61_000)
  }
}
