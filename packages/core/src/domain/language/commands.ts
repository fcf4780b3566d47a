import { plain } from '@copydesk/language'
import { z } from 'zod'
import { isoDay, isoInstant, ulid } from '../../platform/wire.ts'
import { workStates } from '../work/activities/work-schemas.ts'
import { riskLevels } from '../work/approvals/entities.ts'

const id = ulid
const ids = z.array(ulid).min(1).max(500)
const words = z.string().min(1).max(10_000)
const name = z.string().regex(/^[a-z][a-z0-9_]{0,99}$/, 'Must be a name such as blog_writer')

const command = <N extends string, S extends z.core.$ZodLooseShape>(said: N, shape: S) =>
  z.strictObject({ name: z.literal(said), ...shape })

/** Everything that the terminal can be told, as data. Tenants are ids. */
export const SlashCommand = z.union([
  command('status', { tenant: id.optional() }),
  command('queue', {
    status: z.enum([...workStates, 'all']).optional(),
    type: name.optional(),
    agent: name.optional(),
    tenant: id.optional(),
  }),
  command('feed', {}),
  command('show', { id }),
  command('log', { id }),
  command('tail', { id: id.optional() }),
  command('agents', { tenant: id.optional() }),
  command('queues', { tenant: id.optional() }),
  command('cost', {
    tenant: id.optional(),
    from: isoDay.optional(),
    to: isoDay.optional(),
    by: z.enum(['tenant', 'agent', 'model', 'campaign']).optional(),
  }),
  command('tenants', { search: words.optional() }),
  command('kb search', { query: z.string().min(1).max(1_000), tenant: id }),
  command('approve', { ids, note: words.optional(), option: words.optional() }),
  command('reject', { ids, note: words }),
  command('revise', { ids, note: words }),
  command('bulk', {
    action: z.enum(['approve', 'reject']),
    ids: ids.optional(),
    type: name.optional(),
    risk: z.enum(riskLevels).optional(),
    tenant: id.optional(),
    /** Minutes. */
    older: z.int().min(0).max(525_600).optional(),
    note: words.optional(),
  }),
  command('escalate', { id, risk: z.enum(['medium', 'high']), reason: words }),
  command('forward', { id, note: words.optional() }),
  command('claim', { id }),
  command('release', { id }),
  command('pause', { id, reason: words.optional() }),
  command('pause', { role: name, tenant: id, reason: words.optional() }),
  command('resume', { id }),
  command('resume', { role: name, tenant: id }),
  command('retry', { id }),
  command('cancel', { id, reason: words }),
  command('run', { role: name, prompt: words, tenant: id, title: z.string().min(1).max(200).optional() }),
  command('snooze', { id, until: isoInstant }),
  command('dismiss', { id }),
])
export type SlashCommand = z.output<typeof SlashCommand>

/** Commands that only look. */
const looks = [
  'status',
  'queue',
  'feed',
  'show',
  'log',
  'tail',
  'agents',
  'queues',
  'cost',
  'tenants',
  'kb search',
] as const
type Look = (typeof looks)[number]

/** What a person asks to be done; each is a word of the person's own before it is a command. */
export type Act = Exclude<SlashCommand['name'], Look | 'bulk'>

/** The act that a command is, or undefined where it only looks. */
export function actOf(command: SlashCommand): Act | undefined {
  if (command.name === 'bulk') return command.action
  return (looks as readonly string[]).includes(command.name) ? undefined : (command.name as Act)
}

const harmless: ReadonlySet<Act> = new Set(['pause', 'resume', 'claim', 'release', 'snooze', 'dismiss'])

/** Whether what a command does is hard or impossible to take back; what spends money cannot be. */
export function isDestructive(command: SlashCommand): boolean {
  const act = actOf(command)
  return act !== undefined && !harmless.has(act)
}

/** Fields that stand by their place, in this order; all others stand by their name. */
const placed = ['action', 'role', 'id', 'ids', 'prompt', 'query']

/** A command as it is typed: one line, in which no value can be taken for another argument. */
export function toSlash(command: SlashCommand): string {
  const fields = Object.entries(command).filter(([key, value]) => key !== 'name' && value !== undefined)
  const isPlaced = (key: string) => placed.includes(key) && !(command.name === 'bulk' && key === 'ids')
  const args = fields
    .filter(([key]) => isPlaced(key))
    .toSorted(([a], [b]) => placed.indexOf(a) - placed.indexOf(b))
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [word(String(value), key === 'prompt')]))
  const options = fields
    .filter(([key]) => !isPlaced(key))
    .map(([key, value]) => `--${key} ${Array.isArray(value) ? value.join(',') : word(String(value))}`)
  return [`/${command.name}`, ...args, ...options].join(' ')
}

function word(value: string, always = false): string {
  const text = plain(value)
  if (!always && /^[\w][\w.,:+-]*$/.test(text)) return text
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
