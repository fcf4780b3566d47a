import { isUlid } from '../../../../platform/clock.ts'
import { phoneIdentity } from '../policy.ts'

/** What a line is told from others by. */
export interface Line {
  id?: string | undefined
  email?: string | undefined
  identity: string | null
  phoneKey: string | null
}

/** What is looked up for lines, each value once. */
export interface LineKeys {
  ids: string[]
  identities: string[]
  phones: string[]
  /** Those of lines that have an address. */
  phonesOfAddressed: string[]
}

/** The values that leads have which the lines double or name. */
export function keysOf(lines: readonly Line[]): LineKeys {
  const once = (values: ReadonlyArray<string | undefined | null>) => [
    ...new Set(values.filter((value) => typeof value === 'string')),
  ]
  const addressed = (line: Line) => line.email !== undefined
  return {
    ids: once(lines.map(({ id }) => (id !== undefined && isUlid(id) ? id : undefined))),
    identities: once(
      lines.flatMap(({ identity, phoneKey }) => [identity, phoneKey && phoneIdentity(phoneKey)]),
    ),
    // Without an address, the number of a lead that has one tells as well.
    phones: once(lines.map((line) => (addressed(line) ? null : line.phoneKey))),
    phonesOfAddressed: once(lines.map((line) => (addressed(line) ? line.phoneKey : null))),
  }
}

/** Leads that lines could double, as `duplicateOf` tells them, and those that the lines name by their id. */
export class KnownLeads {
  readonly #ids = new Set<string>()
  readonly #byIdentity = new Map<string, string>()
  readonly #byPhone = new Map<string, string>()

  /** Takes in a lead that is there, or that was made of a line. */
  add({ identity, phoneKey }: Pick<Line, 'identity' | 'phoneKey'>, id: string): void {
    this.#ids.add(id)
    if (identity !== null) this.#byIdentity.set(identity, id)
    if (phoneKey !== null && !this.#byPhone.has(phoneKey)) this.#byPhone.set(phoneKey, id)
  }

  /** The id of the lead that a line doubles. */
  find({ id, email, identity, phoneKey }: Line): string | undefined {
    if (id !== undefined && this.#ids.has(id)) return id
    const own = identity === null ? undefined : this.#byIdentity.get(identity)
    if (own !== undefined || phoneKey === null) return own
    const reached = email === undefined ? this.#byPhone.get(phoneKey) : undefined
    return this.#byIdentity.get(phoneIdentity(phoneKey)) ?? reached
  }

  /** The id of the lead that has what a line would give another one. */
  owner({ identity }: Line): string | undefined {
    return identity === null ? undefined : this.#byIdentity.get(identity)
  }
}
