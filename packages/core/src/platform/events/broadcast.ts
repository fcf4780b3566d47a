/** Fan-out of messages that are not kept, inside this process. */
export interface Broadcast {
  publish(topic: string, message: unknown): void
  /** @returns a function that ends the subscription */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /** How many listen to a topic. */
  count(topic: string): number
}

export function createBroadcast(): Broadcast {
  const topics = new Map<string, Set<(message: unknown) => void>>()
  return {
    publish(topic, message) {
      for (const listener of topics.get(topic) ?? []) listener(message)
    },
    subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic)
      }
    },
    count: (topic) => topics.get(topic)?.size ?? 0,
  }
}
