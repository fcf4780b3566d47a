import { mayRunNamed } from '../operations/catalogue.ts'
import type { Shell } from './shell.ts'

/** How often a claim of 15 minutes is renewed, milliseconds. */
const renewMs = 10 * 60_000

/** That somebody looks at an approval, told to the others for as long as it is open here. */
export interface Claim {
  /** Whether it is this person's. */
  readonly mine: boolean
  /** Asks for it: again when somebody else has let go of it. */
  take(): Promise<void>
  /** Lets go of it. */
  release(): void
}

export function claimFor({ client, desk, after }: Shell, approvalId: string): Claim {
  // A tenant's own people decide beside its reviewers, and hold nothing back from them.
  if (!mayRunNamed(desk, 'claim'))
    return { mine: false, take: async () => undefined, release: () => undefined }
  const params = { id: approvalId }
  let mine = false
  let released = false
  let callOff: () => void = () => undefined
  /** One request after the other, so that no claim outlives its release. */
  let last: Promise<void> = Promise.resolve()
  const ask = async () => {
    if (released) return
    // Refused where somebody else looks at it or it is decided: the approval itself says so.
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
        // It ends by itself when the server cannot be told.
        await client.call('cli', 'DELETE /approvals/:id/claim', { params }).catch(() => undefined)
      })
    },
  }
}
