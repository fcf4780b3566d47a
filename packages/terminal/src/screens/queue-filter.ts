import type { WorkItem } from '../operations/queue.ts'

/** Terms that name the column to search; all other terms search the whole row. */
const fields = {
  status: ({ status }: WorkItem) => status,
  type: ({ type, approvalType }: WorkItem) => `${type} ${approvalType ?? ''}`,
  agent: ({ agentRole }: WorkItem) => agentRole ?? '',
  tenant: ({ tenantName, tenantId }: WorkItem) => `${tenantName} ${tenantId}`,
  risk: ({ riskLevel }: WorkItem) => riskLevel ?? '',
} as const

const isField = (name: string): name is keyof typeof fields => Object.hasOwn(fields, name)

export const filterHint = 'words of a row, or status: type: agent: tenant: risk:'

/** Rows in lower case, computed once: a filter is applied to all of them on each key. */
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

/** Whether a row matches all terms of a filter; undefined for a filter without terms. */
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
  // In the order of the server: pending approvals first, of those the highest risk.
  risk: undefined,
  age: (a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  tenant: (a, b) => a.tenantName.localeCompare(b.tenantName),
}

/** The visible part of the queue, in its order. */
export function arranged(items: readonly WorkItem[], filter: string, sort: Sort): readonly WorkItem[] {
  const fits = filterOf(filter)
  const seen = fits ? items.filter(fits) : items
  const order = orders[sort]
  return order ? seen.toSorted(order) : seen
}
