import type { Broadcast } from '../../../../platform/events/events.ts'

/** The run that a piece of text belongs to. */
export interface DeltaSource {
  runId: string
  attempt: number
  activityId: string
  tenantId: string
}

/** A piece of text as watchers get it. `position` is the number of characters of the attempt before it. */
export interface TextDelta extends DeltaSource {
  position: number
  text: string
}

/** Watchers of one activity, and of all of a tenant, listen to these. */
export const activityTopic = (activityId: string) => `text:activity:${activityId}`
export const tenantTopic = (tenantId: string) => `text:tenant:${tenantId}`

/** Listens to the text of a topic, on which nothing else is published. @returns a function that ends the subscription */
export function onText(
  broadcast: Broadcast,
  topic: string,
  listener: (delta: TextDelta) => void,
): () => void {
  return broadcast.subscribe(topic, (message) => listener(message as TextDelta))
}

export const keyOf = (source: Pick<DeltaSource, 'runId' | 'attempt'>) => `${source.runId}.${source.attempt}`
