import type { Client } from '@copydesk/client'

/** Someone who follows a tenant's stream through every cut. */
export interface Follower {
  /** Numbers of the events that were told, in the order of their arrival. */
  readonly told: readonly number[]
  stop(): Promise<void>
}

export function follow(client: Client): Follower {
  const told: number[] = []
  const leaving = new AbortController()
  const { signal } = leaving
  const reading = (async () => {
    for await (const { event, id } of client.stream('dashboard', 'GET /events/stream', { signal })) {
      if (event === 'resync') throw new Error('the past is gone')
      if (id !== undefined && event !== 'text_delta') told.push(Number(id))
    }
  })()
  // It is heard of when the follower stops.
  reading.catch(() => undefined)
  return {
    told,
    async stop() {
      leaving.abort()
      await reading
    },
  }
}
