import type { WorkItem } from '../operations/queue.ts'

/** Terms that name what they are looked for in; everything else is looked for in the whole line. */
const fields = {
  status: ({ status }: WorkItem) => status,
  type: ({ type, approvalType }: WorkItem) => `${type} ${approvalType ?? ''}`,
  agent: ({ agentRole }: WorkItem) => agentRole ?? '',
  tenant: ({ tenantName, tenantId }: WorkItem) => `${tenantName} ${tenantId}`,
  risk: ({ riskLevel }: WorkItem) => riskLevel ?? '',
} as const

const isField = (name: string): name is keyof typeof fields => Object.hasOwn(fields, name)

export const filterHint = 'words of a line, or status: type: agent: tenant: risk:'

/** Lines in small letters, made once: a filter is typed letter by letter over all of them. */
const whole = new WeakMap<WorkItem, string>()

function lineOf(item: WorkItem): string {
  let line = whole.get(item)
  if (line === undefined) {
    const { title, tenantName, type, agentRole, campaignName } = item
    line = [title, tenantName, type, agentRole, campaignName].filter(Boolean).join(' ').toLowerCase()
    whole.set(item, line)
  }
  return line
}

/** Whether a line of the queue has all terms of a filter; undefined for a filter without any. */
export function filterOf(text: string): ((item: WorkItem) => boolean) | undefined {
  const terms = (text.toLowerCase().match(/\w+:"[^"]*"?|\S+/g) ?? []).map((word) => {
    const [, name = '', value = ''] = /^(\w+):(.*)$/.exec(word) ?? []
    if (!isField(name)) return (item: WorkItem) => lineOf(item).includes(word)
    const wanted = value.replaceAll('"', '')
    return (item: WorkItem) => fields[name](item).toLowerCase().includes(wanted)
  })
  return terms.length === 0 ? undefined : (item) => terms.every((fits) => fits(item))
}

export const sorts = ['risk', 'age', 'tenant'] as const
export type Sort = (typeof sorts)[number]

const orders: Readonly<Record<Sort, ((a: WorkItem, b: WorkItem) => number) | undefined>> = {
  // As it comes from the server: what waits for people first, of that the riskiest.
  risk: undefined,
  age: (a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  tenant: (a, b) => a.tenantName.localeCompare(b.tenantName),
}

/** What is seen of the queue, in its order. */
export function arranged(items: readonly WorkItem[], filter: string, sort: Sort): readonly WorkItem[] {
  const fits = filterOf(filter)
  const seen = fits ? items.filter(fits) : items
  const order = orders[sort]
  return order ? seen.toSorted(order) : seen
}
