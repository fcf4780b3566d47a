import { mayRunNamed } from '../operations/catalogue.ts'
import type { Shell } from './shell.ts'

/** How often a claim of 15 minutes is renewed, milliseconds. */
const renewMs = 10 * 60_000

/** A claim on an approval, which others see while it is open here. */
export interface Claim {
  /** Whether this user has the claim. */
  readonly mine: boolean
  /** Claims it: again when someone else has released it. */
  take(): Promise<void>
  /** Releases it. */
  release(): void
}

export function claimFor({ client, context, after }: Shell, approvalId: string): Claim {
  // A tenant's users decide beside its reviewers, and do not claim.
  if (!mayRunNamed(context, 'claim'))
    return { mine: false, take: async () => undefined, release: () => undefined }
  const params = { id: approvalId }
  let mine = false
  let released = false
  let callOff: () => void = () => undefined
  /** One request after the other, so that no claim is made after its release. */
  let last: Promise<void> = Promise.resolve()
  const ask = async () => {
    if (released) return
    // Rejected when someone else has claimed it or it is decided: the approval itself shows that.
    mine = await client.call('cli', 'POST /approvals/:id/claim', { params }).then(
      () => true,
      () => false,
    )
    callOff()
    callOff = after(renewMs, () => void take())
  }
  const take = () => (last = last.then(ask))
  return {
    get mine() {
      return mine
    },
    take,
    release() {
      released = true
      callOff()
      last = last.then(async () => {
        if (!mine) return
        mine = false
        // The claim expires by itself when the server cannot be reached.
        await client.call('cli', 'DELETE /approvals/:id/claim', { params }).catch(() => undefined)
      })
    },
  }
}
