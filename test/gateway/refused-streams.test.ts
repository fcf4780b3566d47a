import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import type { Principal } from '../../packages/core/src/kernel/context.ts'
import { createRig, team } from './rig.ts'

/** A gateway whose callers can be refused while they are inside. */
function rig(opening: () => Promise<void> = async () => undefined) {
  const refused = new Set<string>()
  const told: Array<() => void> = []
  const ended: string[] = []
  const live = eventStream({
    id: 'dashboard.live',
    route: 'GET /live',
    summary: 'Stays open',
    access: team,
    events: { hello: z.object({}) },
    open: async (ctx, _input, channel) => {
      channel.onClose(() => ended.push(ctx.actor.role))
      await opening()
      channel.send({ event: 'hello', data: {} })
    },
  })
  const { call } = createRig([live], {
    ports: {
      stillValid: ({ role }: Principal) => !refused.has(role),
      onRefused: (fn) => void told.push(fn),
    },
  })
  return {
    ended,
    open: (as: string) => call('GET', '/dashboard/v1/live', { as }),
    refuse(role: string) {
      refused.add(role)
      for (const fn of told) fn()
    },
  }
}

describe('an open stream', () => {
  it('ends when access of its caller is revoked, and no other does', async () => {
    const { open, refuse, ended } = rig()
    const member = await open('member')
    await open('admin')
    refuse('member')
    expect(ended).toEqual(['member'])
    expect(await member.text()).toContain('hello')
  })

  it('ends at once when access was revoked while it was being opened', async () => {
    const gate = Promise.withResolvers<void>()
    const { open, refuse, ended } = rig(() => gate.promise)
    const opening = open('member')
    refuse('member')
    gate.resolve()
    expect(await (await opening).text()).toBe('')
    expect(ended).toEqual(['member'])
  })
})
