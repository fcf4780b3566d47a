import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Whether a code confirms something, and if not, what is wrong with it. */
export type Redeemed = { agreed: true; id: string } | { agreed: false; why: string }

/** Codes by which a person's consent to one thing is told, once and within ten minutes. */
export interface Confirmations {
  /** A code for exactly this: who asks, what is to be done with what input, and what was shown. */
  issue(of: readonly unknown[]): string
  redeem(code: string, of: readonly unknown[]): Redeemed
}

const lifetimeMs = 600_000
const form = /^([0-9a-z]{8,9})\.([\w-]{12})\.([\w-]{22})$/

/**
 * Nothing is kept of a code until it is used, so that any server of an installation can redeem what another has issued; each
 * of them remembers what it has redeemed for as long as the code would live.
 * @param given.keys secrets, of which the first signs and all are believed
 */
export function createConfirmations({
  keys,
  now,
}: {
  keys(): readonly string[]
  now(): number
}): Confirmations {
  const used = new Map<string, number>()
  const sign = (key: string, until: string, id: string, of: readonly unknown[]) => {
    const what = createHash('sha256').update(JSON.stringify(of)).digest('hex')
    return createHmac('sha256', key)
      .update(`copydesk confirmation ${until} ${id} ${what}`)
      .digest('base64url')
      .slice(0, 22)
  }
  const forget = () => {
    for (const [id, until] of used) if (until <= now()) used.delete(id)
  }
  return {
    issue(of) {
      const [key] = keys()
      if (key === undefined) throw new Error('There is no key to sign confirmations with')
      const until = (now() + lifetimeMs).toString(36)
      const id = randomBytes(9).toString('base64url')
      return `${until}.${id}.${sign(key, until, id, of)}`
    },
    redeem(code, of) {
      const [, until = '', id = '', mac = ''] = form.exec(code.trim()) ?? []
      const isOurs = keys().some((key) => isSame(mac, sign(key, until, id, of)))
      if (!isOurs)
        return {
          agreed: false,
          why: 'This confirmation is for something else: the input is another one, what it is about has changed since, or the code is wrong',
        }
      const end = Number.parseInt(until, 36)
      if (end <= now()) return { agreed: false, why: 'This confirmation is older than ten minutes' }
      forget()
      if (used.has(id)) return { agreed: false, why: 'This confirmation has been used already' }
      used.set(id, end)
      return { agreed: true, id }
    },
  }
}

function isSame(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted))
}
