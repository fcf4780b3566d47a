import { Client } from 'pg'
import type { Logger } from '../log.ts'
import type { Database, Sql } from './database.ts'

type Notice = readonly [channel: string, payload: string]

/** Sends what transactions have to say once they have committed. */
interface Notifier {
  notify: Database['notify']
  /** Sends what `tx` has noted. */
  committed(tx: Sql): void
  /** Waits for what is being sent. */
  close(): Promise<void>
}

/**
 * Sends notifications after the commit and apart from it: PostgreSQL lets transactions that notify commit one at a time, each
 * waiting for the disk, but one that only notifies writes nothing. What comes while a statement is on its way shares the next one, and
 * what is said twice is said once. A process that dies in between has said nothing: listeners look for themselves now and then.
 * @param sql outside of transactions
 */
export function createNotifier(sql: Sql, log: Logger): Notifier {
  const noted = new WeakMap<Sql, Notice[]>()
  let waiting = new Map<string, Notice>()
  let sending: Promise<void> | undefined

  const sendAll = async () => {
    while (waiting.size > 0) {
      const notices = [...waiting.values()]
      waiting = new Map()
      await sql
        .all(`select pg_notify(notice->>0, notice->>1) from json_array_elements(cast(? as json)) as notice`, [
          JSON.stringify(notices),
        ])
        .catch((error: unknown) => log.warn('notifications could not be sent', { error }))
    }
    sending = undefined
  }
  const send = (notices: readonly Notice[]) => {
    for (const notice of notices) waiting.set(notice.join(' '), notice)
    sending ??= sendAll()
  }
  return {
    async notify(tx, channel, payload) {
      if (tx === sql) return send([[channel, payload]])
      const notices = noted.get(tx)
      if (notices) notices.push([channel, payload])
      else noted.set(tx, [[channel, payload]])
    },
    committed(tx) {
      const notices = noted.get(tx)
      if (notices) send(notices)
    },
    close: () => sending ?? Promise.resolve(),
  }
}

/** One connection that listens for everybody; when it breaks it comes back and wakes all listeners once with ''. */
export function createListener(url: string, { log }: { log: Logger }) {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  let client: Client | undefined
  let closed = false
  let opening: Promise<void> | undefined

  const open = async () => {
    const fresh = new Client({ connectionString: url })
    fresh.on('error', (error) => {
      if (client === fresh) client = undefined
      if (closed) return
      log.warn('the listening connection to PostgreSQL was lost, opening another', { error })
      retry()
    })
    fresh.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    await fresh.connect()
    for (const channel of listeners.keys()) await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`)
    client = fresh
  }
  const retry = () => {
    const timer = setTimeout(() => {
      if (closed || client) return
      opening = open().then(() => {
        for (const set of listeners.values()) for (const listener of set) listener('')
      }, retry)
    }, 500)
    timer.unref()
  }
  return {
    async listen(channel: string, listener: (payload: string) => void) {
      const known = listeners.get(channel)
      listeners.set(channel, (known ?? new Set()).add(listener))
      if (!client) await (opening ??= open())
      if (!known) await client?.query(`listen ${client.escapeIdentifier(channel)}`)
      return async () => void listeners.get(channel)?.delete(listener)
    },
    async close() {
      closed = true
      await opening?.catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  }
}
