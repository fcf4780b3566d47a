import type { Database, Sql, SqlValue } from '../../packages/core/src/platform/database/database.ts'

/** A statement as it was run. */
export interface Ran {
  text: string
  params: readonly SqlValue[]
}

/** The same statements, each written down. */
export function recordSql(sql: Sql): { sql: Sql; ran: Ran[] } {
  const ran: Ran[] = []
  const note = (text: string, params: readonly SqlValue[] = []) => void ran.push({ text, params })
  return {
    ran,
    sql: {
      all: (text, params) => (note(text, params), sql.all(text, params)),
      get: (text, params) => (note(text, params), sql.get(text, params)),
      run: (text, params) => (note(text, params), sql.run(text, params)),
    },
  }
}

/** How many rows of the big tables one statement may look at, whatever it finds: a page with all that is shown of it. */
const mostRows = 10_000

/**
 * What is wrong with the way in which a database runs a statement.
 * @param big tables that must never be read from end to end
 */
export async function planFaults(db: Database, ran: Ran, big: readonly string[]): Promise<string[]> {
  return db.dialect === 'sqlite' ? sqliteFaults(db, ran, big) : postgresFaults(db, ran, big)
}

async function sqliteFaults(db: Database, { text, params }: Ran, big: readonly string[]): Promise<string[]> {
  const rows = await db.sql.all<{ parent: number; detail: string }>(`explain query plan ${text}`, params)
  const names = new Set(
    [...text.matchAll(/\b(?:from|join)\s+(\w+)(?:\s+(?!where|join|left|on|group|order)(\w+))?/g)].flatMap(
      ([, table = '', alias]) => (big.includes(table) ? [alias ?? table] : []),
    ),
  )
  const reads = (detail: string) => names.has(/^(?:SCAN|SEARCH) (\w+)/.exec(detail)?.[1] ?? '')
  // What goes with a page that was read is sorted in memory; the page itself has to come in its order.
  const isPage = /\blimit \?/.test(text)
  return rows
    .filter(({ parent, detail }) => {
      if (detail.startsWith('SCAN')) return reads(detail)
      if (!isPage || !detail.includes('TEMP B-TREE')) return false
      const beside = rows.filter((other) => other.parent === parent && reads(other.detail))
      return beside.some((other) => !other.detail.includes('(id=?)'))
    })
    .map(({ detail }) => detail)
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

async function postgresFaults(
  db: Database,
  { text, params }: Ran,
  big: readonly string[],
): Promise<string[]> {
  const [row] = await db.sql.all<{ 'QUERY PLAN': Array<{ Plan: Node }> }>(
    `explain (analyze, format json) ${text}`,
    params,
  )
  const nodes = flat(row?.['QUERY PLAN'][0]?.Plan)
  const faults: string[] = []
  let seen = 0
  for (const node of nodes) {
    if (!big.includes(node['Relation Name'] ?? '')) continue
    if (node['Node Type'].includes('Seq Scan'))
      faults.push(`${node['Node Type']} on ${node['Relation Name']}`)
    seen += ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1)
  }
  if (seen > mostRows) faults.push(`${Math.round(seen)} rows looked at`)
  return faults
}

function flat(node: Node | undefined): Node[] {
  return node ? [node, ...(node.Plans ?? []).flatMap(flat)] : []
}
