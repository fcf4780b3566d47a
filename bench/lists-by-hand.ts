import { createCopydesk } from '@copydesk/core'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import type { SqlValue } from '../packages/core/src/platform/database/database.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import type { Installation } from './installation.ts'

/** A request of which the answer is a list. */
export interface Read {
  by: 'member' | 'reviewer' | 'reviewer of 40'
  path: string
}

interface Ran {
  text: string
  params: readonly unknown[]
}

/**
 * What an endpoint asks its database, asked again by the driver alone: prepared, with no one to let in, nothing to check and
 * nothing to encode.
 * @returns milliseconds of each repetition, for each read
 */
export async function byHand(
  installation: Installation,
  reads: readonly Read[],
  tokens: Record<Read['by'], readonly string[]>,
  count: number,
): Promise<number[][]> {
  const statements = await statementsOf(installation, reads, tokens)
  const ask = await open(installation)
  const waits: number[][] = reads.map(() => [])
  for (let i = -20; i < count; i += 1) {
    for (const [at, ran] of statements.entries()) {
      const begun = performance.now()
      for (const one of ran) await ask.run(one)
      if (i >= 0) waits[at]?.push(performance.now() - begun)
    }
  }
  await ask.close()
  return waits
}

/** Overhears what an instance of this process asks while it answers each of them once. */
async function statementsOf(
  installation: Installation,
  reads: readonly Read[],
  tokens: Record<Read['by'], readonly string[]>,
): Promise<Ran[][]> {
  let heard: Ran[] = []
  const restore = overhear((one) => void heard.push(one))
  const copydesk = await createCopydesk({ ...installation, log: silentLogger, worker: false })
  const all: Ran[][] = []
  try {
    await copydesk.start()
    for (const { by, path } of reads) {
      const headers = { authorization: `Bearer ${tokens[by][0]}` }
      // The first answer also looks up what is remembered afterwards.
      for (let i = 0; i < 2; i += 1) {
        heard = []
        const response = await copydesk.fetch(new Request(`http://bench${path}`, { headers }))
        await response.arrayBuffer()
      }
      all.push(heard.filter(({ text }) => /^(select|with)/.test(text)))
    }
  } finally {
    await copydesk.stop()
    restore()
  }
  return all
}

function overhear(hear: (one: Ran) => void): () => void {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function heard(this: pg.Client, ...given: never[]) {
    const [first] = given as unknown as [{ text?: string; values?: unknown[] }]
    if (first?.text) hear({ text: first.text, params: first.values ?? [] })
    return Reflect.apply(query, this, given)
  } as typeof query
  const { prepare } = BetterSqlite.prototype
  BetterSqlite.prototype.prepare = function prepared(this: BetterSqlite.Database, text: string) {
    const statement = prepare.call(this, text)
    for (const name of ['all', 'get'] as const) {
      const run = statement[name].bind(statement) as (...given: unknown[]) => unknown
      const heard = (...given: unknown[]) => {
        hear({ text, params: (given[0] as unknown[]) ?? [] })
        return run(...given)
      }
      Object.assign(statement, { [name]: heard })
    }
    return statement
  } as typeof prepare
  return () => {
    pg.Client.prototype.query = query
    BetterSqlite.prototype.prepare = prepare
  }
}

async function open({ database }: Installation) {
  if (database.startsWith('sqlite:')) {
    const db = new BetterSqlite(database.replace('sqlite:', ''), { readonly: true })
    const prepared = new Map<string, BetterSqlite.Statement>()
    return {
      run: async ({ text, params }: Ran) => {
        const statement = prepared.get(text) ?? db.prepare(text)
        prepared.set(text, statement)
        return statement.all(params as SqlValue[])
      },
      close: async () => void db.close(),
    }
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const names = new Map<string, string>()
  return {
    run: async ({ text, params }: Ran) => {
      const name = names.get(text) ?? `hand_${names.size}`
      names.set(text, name)
      return (await client.query({ name, text, values: [...params] })).rows
    },
    close: () => client.end(),
  }
}
