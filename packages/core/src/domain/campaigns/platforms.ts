import { channelNames } from '../channels/types.ts'
import { DomainError } from '../errors.ts'

/** A place where pieces are published. */
export interface Platform {
  id: string
  name: string
  type: string
}

/** The platforms that a deliverable names, in its order. An id is a channel type. */
export function platformsOf(ids: readonly string[]): Platform[] {
  return ids.map((id) => ({ id, name: (channelNames as Record<string, string>)[id] ?? id, type: id }))
}

/** @throws DomainError `NOT_FOUND` naming the field, when an id is no platform */
export function requirePlatforms(ids: readonly string[], field: string): void {
  for (const [index, id] of ids.entries()) {
    if (Object.hasOwn(channelNames, id)) continue
    const known = Object.keys(channelNames).join(', ')
    throw new DomainError('NOT_FOUND', `There is no platform "${id}"; known are ${known}`, {
      field: `${field}.${index}`,
    })
  }
}
