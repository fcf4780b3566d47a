import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../packages/core/src/gateway/access.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import type { AssistantAccess, Principal } from '../../packages/core/src/kernel/context.ts'
import { createRig, errorOf, tenantA } from './rig.ts'

const anybody = access({ roles: 'any', credentials: ['jwt', 'apikey', 'task'] })
const reply = { 200: z.object({}) }

function rig(principal: Principal) {
  let done = 0
  const act = () => {
    done += 1
    return {}
  }
  const read = endpoint({ id: 'd.read', route: 'GET /a', summary: 'r', access: anybody, reply })
  const write = endpoint({ id: 'd.write', route: 'POST /a', summary: 'w', access: anybody, reply })
  const ask = endpoint({
    id: 'd.ask',
    route: 'POST /ask',
    summary: 'a',
    access: anybody,
    reply,
    onlyReads: true,
  })
  const { call, audits, lines } = createRig([read.handle(act), write.handle(act), ask.handle(act)], {
    surface: { access: anybody },
    ports: { authenticate: () => principal },
  })
  const send = async (line: string, assistant: string | null = 'claude-desktop 1.2') => {
    const [method = '', path = ''] = line.split(' ')
    const headers = { ...(assistant !== null && { 'x-copydesk-assistant': assistant }) }
    const response = await call(method, `/dashboard/v1${path}`, { as: 'x', headers })
    return response.status === 200 ? 200 : errorOf(response)
  }
  return { send, done: () => done, audits, lines }
}

const person: Principal = { id: 'U', type: 'human', role: 'admin', tenantId: tenantA, appAccess: [] }
const key = (assistantAccess?: AssistantAccess): Principal => ({
  ...person,
  type: 'api_key',
  keyId: 'K',
  ...(assistantAccess && { assistantAccess }),
})
const forbidden = { status: 403, code: 'FORBIDDEN' }

describe('a request that names an assistant', () => {
  it.each([
    ['a key for reading', key('read'), 200, 200, forbidden],
    ['a key for deciding', key('decide'), 200, 200, 200],
    ['a key for no assistant', key('none'), forbidden, forbidden, forbidden],
    ['a key of which nothing is known', key(), forbidden, forbidden, forbidden],
    ['a login', person, 200, 200, forbidden],
    ['a task token', { ...person, type: 'agent', role: 'agent' } as Principal, 200, 200, forbidden],
  ])('with %s does what that allows, and a forbidden request has no effect', async (_, who, ...wanted) => {
    const { send, done, audits } = rig(who)
    expect([await send('GET /a'), await send('POST /ask'), await send('POST /a')]).toEqual(wanted)
    expect(done()).toBe(wanted.filter((answer) => answer === 200).length)
    expect(audits.map(({ ctx }) => ctx.trace.assistant)).not.toContain(undefined)
  })

  it('is restricted to its right, whatever is in the header', async () => {
    const { send } = rig(key('none'))
    for (const name of ['', ' ', ',', '\t', '\u00e9', 'x'.repeat(9_000)])
      expect(await send('GET /a', name)).toEqual(forbidden)
  })

  it('is named in the log and the audit, with a sanitized name', async () => {
    const { send, audits, lines } = rig(key('decide'))
    const names = ['claude-desktop 1.2', '', ' a\t\u00ff  b ', 'x'.repeat(101)]
    for (const name of names) await send('POST /a', name)
    const wanted = ['claude-desktop 1.2', 'unnamed', 'a? b', 'x'.repeat(100)]
    expect(audits.map(({ ctx }) => ctx.trace.assistant)).toEqual(wanted)
    expect(lines.filter(({ message }) => message === 'request').map((line) => line.assistant)).toEqual(wanted)
  })
})

describe('a request without an assistant header', () => {
  it('is attributed to the caller alone, whatever the key says about assistants', async () => {
    const { send, audits, lines } = rig(key('none'))
    expect(await send('POST /a', null)).toBe(200)
    expect(audits[0]?.ctx.trace).not.toHaveProperty('assistant')
    expect(lines[0]).not.toHaveProperty('assistant')
  })
})
