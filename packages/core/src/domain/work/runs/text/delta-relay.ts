import type { Database, Sql } from '../../../../platform/database/database.ts'
import type { Broadcast } from '../../../../platform/events/events.ts'
import type { Logger } from '../../../../platform/log.ts'
import { activityTopic, type DeltaSource, keyOf, type TextDelta, tenantTopic } from './delta.ts'
import { readTexts } from './queries.ts'

/** Where text of an attempt begins. */
type DeltaPosition = Omit<TextDelta, 'text'>

/** Tells the watchers of this node of text that another node stored. */
export interface DeltaRelay {
  /** Tells the other nodes, once `tx` commits, where new text begins. */
  announce(tx: Sql, places: readonly DeltaPosition[]): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const channel = 'copydesk_text'
/** So many places fit into one notification of 8,000 bytes. */
const placesPerNote = 50
/** Of how many attempts that other nodes write it is known how much was told. */
const maxRelayed = 1_000

export function createDeltaRelay(options: {
  db: Database
  broadcast: Broadcast
  log: Logger
  node: string
  tell(delta: TextDelta): void
}): DeltaRelay {
  const { db, broadcast, log, node, tell } = options
  /** How much of an attempt that another node writes was told here; the one that was told last is the last. */
  const relayed = new Map<string, DeltaPosition>()
  let relaying = Promise.resolve()
  let missedNotes = false
  let unlisten: (() => Promise<void>) | undefined

  const isWatched = ({ activityId, tenantId }: DeltaSource) =>
    broadcast.count(activityTopic(activityId)) + broadcast.count(tenantTopic(tenantId)) > 0
  /** Watchers are told nothing twice, and what a lost note would have told as well. */
  const relay = async (payload: string) => {
    // Without a payload the connection was lost, and with it notes of what was written meanwhile.
    missedNotes ||= payload === ''
    const places = payload === '' ? [...relayed.values()] : read(payload, node)
    const begin = (place: DeltaPosition) =>
      relayed.get(keyOf(place)) ?? { ...place, ...(missedNotes && { position: 0 }) }
    const watched = places.filter(isWatched).map(begin)
    for (let i = 0; i < watched.length; i += placesPerNote)
      for (const delta of await readTexts(db.sql, watched.slice(i, i + placesPerNote)))
        if (delta.text !== '') pass(delta)
  }
  const pass = (delta: TextDelta) => {
    const { text, ...place } = delta
    const key = keyOf(place)
    relayed.delete(key)
    relayed.set(key, { ...place, position: place.position + text.length })
    for (const old of relayed.keys()) if (relayed.size > maxRelayed) relayed.delete(old)
    tell(delta)
  }
  return {
    async announce(tx, places) {
      for (let i = 0; i < places.length; i += placesPerNote)
        await db.notify(tx, channel, write(node, places.slice(i, i + placesPerNote)))
    },
    async start() {
      unlisten = await db.listen(channel, (payload) => {
        // One after the other, as it was written.
        relaying = relaying
          .then(() => relay(payload))
          .catch((error: unknown) => log.error('text of another node could not be read', { error }))
      })
    },
    async stop() {
      await unlisten?.()
      await relaying
    },
  }
}

type Tuple = [runId: string, attempt: number, position: number, activityId: string, tenantId: string]

function write(node: string, places: readonly DeltaPosition[]): string {
  const tuples = places.map(
    ({ runId, attempt, position, activityId, tenantId }): Tuple => [
      runId,
      attempt,
      position,
      activityId,
      tenantId,
    ],
  )
  return JSON.stringify([node, ...tuples])
}

/** @returns nothing for what this node has written itself */
function read(payload: string, node: string): DeltaPosition[] {
  const [from, ...tuples] = JSON.parse(payload) as [string, ...Tuple[]]
  if (from === node) return []
  return tuples.map(([runId, attempt, position, activityId, tenantId]) => ({
    runId,
    attempt,
    position,
    activityId,
    tenantId,
  }))
}
