import { z } from 'zod'
import { sha256Hex } from '../../../../../platform/crypto/hash.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { readAllPages } from '../../../publishing/connectors/meta/graph.ts'
import type { ChangeValue } from '../../changes/entities.ts'
import type { EventsAddress, PlatformEvent, PlatformEventPart } from '../../platform.ts'
import { accountPath, metaId } from './campaigns.ts'
import { unitOf } from './money.ts'

const Activity = z.object({
  event_time: z
    .string()
    .transform((text) => new Date(text))
    .refine((at) => !Number.isNaN(at.getTime()), 'is no time'),
  event_type: z.string().max(200),
  translated_event_type: z.string().optional(),
  actor_id: z.union([z.string(), z.number()]).transform(String).optional(),
  actor_name: z.string().optional(),
  application_name: z.string().optional(),
  object_id: z.union([z.string(), z.number()]).transform(String).optional(),
  object_name: z.string().optional(),
  /** A text of JSON, whose form depends on the event. */
  extra_data: z.string().optional(),
})
type Activity = z.output<typeof Activity>
const fields =
  'event_time,event_type,translated_event_type,actor_id,actor_name,application_name,object_id,object_name,extra_data'

/** What its events are called that change sets cause too. */
const kinds: Readonly<Record<string, 'daily_budget' | 'campaign_status'>> = {
  update_campaign_budget: 'daily_budget',
  update_campaign_run_status: 'campaign_status',
}
const labels = { daily_budget: 'Daily budget', campaign_status: 'State of the campaign' } as const

/** Of the campaign, and of the ad sets and ads in it. */
export async function metaEvents(
  call: PlatformCall,
  { account, campaignId, currency }: EventsAddress,
  { from, to }: { from: Date; to: Date },
): Promise<PlatformEvent[]> {
  const query = {
    fields,
    oid: metaId(campaignId),
    add_children: 'true',
    since: String(Math.floor(from.getTime() / 1_000)),
    until: String(Math.ceil(to.getTime() / 1_000)),
  }
  const found = await readAllPages(call, `${accountPath(account.id)}/activities`, query, Activity)
  return found.map((one) => ({
    key: sha256Hex(
      JSON.stringify([one.event_time, one.event_type, one.object_id, one.actor_id, one.extra_data]),
    ),
    at: one.event_time,
    who: named(one.actor_name),
    via: named(one.application_name),
    // Its own name is not told to a program.
    mayBeOurs: true,
    parts: [partOf(one, { campaignId, currency })],
  }))
}

const named = (text: string | undefined) => (text === undefined || text === '' ? null : text.slice(0, 255))

function partOf(
  {
    event_type: type,
    translated_event_type: words,
    object_id: id,
    object_name: name,
    extra_data: data,
  }: Activity,
  { campaignId, currency }: { campaignId: string; currency: string },
): PlatformEventPart {
  const { old_value: old, new_value: now } = readExtra(data)
  const isForLife = [old, now].some((value) => lifetime.test(typeOf(value)))
  const kind = id === campaignId && !isForLife ? (kinds[type] ?? null) : null
  const base = { kind, groupId: null, externalId: null, keyword: null }
  if (kind === null) {
    const what = isForLife ? 'Lifetime budget' : (words ?? type.replaceAll('_', ' '))
    const label = (name === undefined ? what : `${what}: ${name}`).slice(0, 300)
    return { ...base, label, before: null, after: null, isTold: false }
  }
  const [before, after] = [old, now].map((value) => valueOf(kind, inner(value), currency)) as [
    ChangeValue,
    ChangeValue,
  ]
  return { ...base, label: labels[kind], before, after, isTold: after !== null }
}

const Extra = z.object({ old_value: z.unknown(), new_value: z.unknown() }).partial()

function readExtra(text = ''): { old_value?: unknown; new_value?: unknown } {
  try {
    const read = Extra.safeParse(JSON.parse(text))
    return read.success ? read.data : {}
  } catch {
    return {}
  }
}

/** What a value of a budget says of itself: `Per day`, `Lifetime budget`. Both come with the same event. */
const typeOf = (value: unknown): string => {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : ''
  return typeof type === 'string' ? type : ''
}
const lifetime = /\blife-?time\b/i

/** Some events have the value in an object of the same form. */
const inner = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === 'new_value' || name === 'old_value')?.[1]
    : value

function valueOf(kind: 'daily_budget' | 'campaign_status', value: unknown, currency: string): ChangeValue {
  if (kind === 'campaign_status') {
    const word = typeof value === 'string' ? value.toLowerCase() : ''
    if (word === 'active') return 'enabled'
    return word === 'inactive' || word === 'paused' ? 'paused' : null
  }
  const unit = unitOf(currency)
  const micros = unit === undefined ? Number.NaN : Number(value ?? Number.NaN) * unit
  return Number.isSafeInteger(micros) ? micros : null
}
