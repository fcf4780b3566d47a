import { describe, expect, it } from 'vitest'
import { cleanUp } from '../../../packages/core/src/composition/housekeeping.ts'
import { takeBack } from '../../../packages/core/src/domain/work/runs/queue/recover.ts'
import { askChat } from '../../kit/seeded-settings.ts'
import { readStream } from '../../kit/sse.ts'
import { parts } from '../agents.ts'
import { ask, conversation, createBakery, openAnswer } from './chatting.ts'

const cites = { text: ['They have hazelnuts [1].'] }

describe('an answer that is being written', () => {
  it('is kept and ended when the server stops', async () => {
    await using chat = await createBakery([{ text: ['Once upon a time '], hang: true }])
    const other = await chat.app.another({ worker: false })
    const response = await openAnswer({ app: { ...chat.app, fetch: fetchOf(other) } }, chat.team.adminToken, {
      message: 'Tell me of the oats',
    })
    const begun = Promise.withResolvers<void>()
    const reader = readStream(response, () => {
      begun.resolve()
      return false
    })
    await begun.promise
    await other.stop()
    await reader
    const { data } = await chat.team.admin.call('dashboard', 'GET /chat/conversations')
    const { messages } = await conversation(chat.team.admin, data[0]?.id ?? '')
    expect(messages[1]).toMatchObject({ content: 'Once upon a time', unfinished: 'stopped' })
    expect(await chat.app.db.sql.all('select id from runs where open = ?', [true])).toEqual([])
  })

  it('is not kept when its conversation is deleted', async () => {
    await using chat = await createBakery([{ text: ['Once upon a time '], hang: true }])
    const { admin, adminToken } = chat.team
    const reader = readStream(await openAnswer(chat, adminToken, { message: 'Tell me of the oats' }))
    await chat.app.until(async () => chat.server.calls.length === 1, 'the model is asked')
    const { data } = await admin.call('dashboard', 'GET /chat/conversations')
    const params = { conversationId: data[0]?.id ?? '' }
    await admin.call('dashboard', 'DELETE /chat/conversations/:conversationId', { params })
    // The model breaks off.
    await chat.server[Symbol.asyncDispose]()
    expect((await reader).at(-1)?.event).toBe('error')
    const left = 'select id from conversations union all select id from conversation_messages'
    expect(await chat.app.db.sql.all(left)).toEqual([])
  })

  it('lets go of its run when its process was killed, without any work that follows', async () => {
    await using chat = await createBakery([cites])
    await ask(chat, 'What is in the oats?')
    await chat.app.db.write((tx) =>
      tx.run(`update runs set open = ?, status = 'running', lease_owner = 'gone', lease_until = ?`, [
        true,
        new Date(Date.now() + 60_000),
      ]),
    )
    const runs = 'select id, purpose, status, open, error from runs'
    const [run] = await chat.app.db.sql.all<{ id: string }>(runs)
    await using inside = await parts(chat.app)
    await takeBack(inside.system(), {
      id: run?.id ?? '',
      tenantId: chat.team.tenantId,
      attempt: 1,
      owner: 'gone',
    })
    const [ended] = await chat.app.db.sql.all<{ open: unknown }>(runs)
    expect(ended).toMatchObject({ purpose: 'chat', status: 'failed', error: 'The process that ran it died' })
    expect(Boolean(ended?.open)).toBe(false)
  })
})

describe('what answers cost', () => {
  it('alerts the admins when it nears the tenant’s cap, once', async () => {
    const usage = { inputTokens: 8_500, outputTokens: 0 }
    await using chat = await createBakery([
      { ...cites, usage },
      { ...cites, usage: { inputTokens: 1, outputTokens: 0 } },
    ])
    await chat.app.db.write((tx) => tx.run('update tenants set spend_cap_micros = 10000', []))
    for (let at = 0; at < 2; at += 1) await askChat(chat.team.member, 'What is in the oats?')
    const { data } = await chat.team.admin.call('tenant', 'GET /notifications')
    expect(data).toMatchObject([
      {
        type: 'budget_alert',
        title: 'A budget is nearly used up',
        body: expect.stringContaining('Hearth has used 80 %'),
        deepLink: 'copydesk://home',
      },
    ])
  })
})

describe('housekeeping', () => {
  it('deletes the conversations of users who have left', async () => {
    await using chat = await createBakery()
    await ask(chat, 'What is in the oats?')
    await using inside = await parts(chat.app)
    const left = async () => (await chat.app.db.sql.all('select id from conversation_messages')).length
    await cleanUp(inside.system())
    expect(await left()).toBe(2)
    await chat.app.db.write((tx) =>
      tx.run(`update users set status = 'deactivated' where id = ?`, [chat.team.adminId]),
    )
    await cleanUp(inside.system())
    expect(await left()).toBe(0)
    expect(await chat.app.db.sql.all('select id from conversations')).toEqual([])
  })
})

function fetchOf({ fetch }: { fetch(request: Request): Promise<Response> }) {
  return (path: string, init?: RequestInit) => fetch(new Request(`http://copydesk.test${path}`, init))
}
