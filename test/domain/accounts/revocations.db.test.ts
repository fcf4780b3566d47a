import { describe, expect, it } from 'vitest'
import {
  accessChanged,
  accessRestored,
  accessRevoked,
} from '../../../packages/core/src/domain/accounts/identity/events.ts'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { parts } from '../agents.ts'

/** A process that follows what all processes tell of one user. */
async function following(app: TestApp) {
  await using stack = new AsyncDisposableStack()
  const { adminId: subject } = await app.team()
  const node = stack.use(await parts(app))
  const { events, revocations } = node.services
  await events.start()
  stack.defer(() => events.stop())
  await revocations.start()
  stack.defer(() => revocations.stop())
  const owned = stack.move()
  return {
    /** Tells every process, and waits until this one has heard it. */
    async tell(event: typeof accessRevoked | typeof accessRestored) {
      const before = revocations.changes(subject)
      for (const one of [event, accessChanged])
        await transact(node.system(), async (txn) => txn.emit(one, { tenantId: null, subject, data: {} }))
      await app.until(async () => revocations.changes(subject) > before, 'the events have come round')
    },
    isRefused: () => revocations.has(subject),
    /** As endpoints do after their commands, before what they tell has come round. */
    suspendHere: () => revocations.add(subject),
    reinstateHere: () => revocations.lift(subject),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('revocations', () => {
  it('let a reinstated user in at once, though the event of the suspension comes later', async () => {
    await using app = await createTestApp({ worker: false })
    await using user = await following(app)
    user.suspendHere()
    user.reinstateHere()
    await user.tell(accessRevoked)
    expect(user.isRefused()).toBe(false)
    await user.tell(accessRestored)
    expect(user.isRefused()).toBe(false)
    await user.tell(accessRevoked)
    expect(user.isRefused()).toBe(true)
  })

  it('do so as often as a user is suspended and reinstated before the events come', async () => {
    await using app = await createTestApp({ worker: false })
    await using user = await following(app)
    for (let i = 0; i < 3; i += 1) {
      user.suspendHere()
      user.reinstateHere()
    }
    for (let i = 0; i < 3; i += 1) {
      await user.tell(accessRevoked)
      expect(user.isRefused()).toBe(false)
      await user.tell(accessRestored)
    }
    await user.tell(accessRevoked)
    expect(user.isRefused()).toBe(true)
  })

  it('refuse a suspended user though the event of an earlier reinstatement came before it was done here', async () => {
    await using app = await createTestApp({ worker: false })
    await using user = await following(app)
    await user.tell(accessRestored)
    user.reinstateHere()
    await user.tell(accessRevoked)
    expect(user.isRefused()).toBe(true)
  })

  it('refuse a suspended user though the event of an earlier reinstatement never came', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using user = await following(app)
    user.reinstateHere()
    clock.advance(10_000)
    await user.tell(accessRevoked)
    expect(user.isRefused()).toBe(true)
  })
})
