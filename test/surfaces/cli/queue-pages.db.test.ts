import type { Reply } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { keyClient } from '../../kit/key-client.ts'
import { createOperator } from '../../kit/operator.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'
import { createQueues, titles } from './queue-harness.ts'

describe('cli.queue', () => {
  it('filters rows and counts by deliverable type, step type and agent', async () => {
    const { app, ours, insert } = await createQueues()
    await using _ = app
    const { tenantId } = ours
    const blog = { deliverable_type: 'blog_post', agent_role: 'blog_writer' }
    const about = await insert.activity(tenantId, 'Piece', { ...blog, status: 'awaiting_approval' })
    await insert.approval(tenantId, 'About the post', 'low', 10, undefined, { content_of: about })
    const linked = await insert.approval(tenantId, 'Linked to the post', 'low', 12)
    await app.db.write((tx) =>
      tx.run(
        'insert into approval_links (approval_id, activity_id, tenant_id, blocking) values (?, ?, ?, ?)',
        [linked, about, tenantId, true],
      ),
    )
    await insert.approval(tenantId, 'About nothing', 'low', 10)
    await insert.blocked(tenantId, 'Outline', 1, { ...blog, type: 'outline' })
    await insert.blocked(tenantId, 'Post', 1, { deliverable_type: 'social_post' })
    const by = async (query: { type?: string; agent?: string }) => {
      const { pending, blocked, counts } = await ours.reviewer.call('cli', 'GET /queue', { query })
      return { shown: titles([...pending, ...blocked]), counts: [counts.pending, counts.blocked] }
    }
    expect(await by({ type: 'blog_post' })).toEqual({
      shown: ['About the post', 'Linked to the post', 'Outline'],
      counts: [2, 1],
    })
    expect(await by({ type: 'outline' })).toEqual({ shown: ['Outline'], counts: [0, 1] })
    expect(await by({ agent: 'social_writer' })).toEqual({ shown: ['Post'], counts: [0, 1] })
    expect(await by({ agent: 'blog_writer', type: 'outline' })).toEqual({
      shown: ['Outline'],
      counts: [0, 1],
    })
    expect(await by({ type: 'backlink' })).toEqual({ shown: [], counts: [0, 0] })
  })

  it('returns each row once over all pages, although rows are added meanwhile', async () => {
    const { app, clock, ours, theirs, insert } = await createQueues()
    await using _ = app
    const { client } = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const before: string[] = []
    for (const { tenantId } of [ours, theirs])
      for (let i = 0; i < 4; i += 1) {
        before.push(await insert.approval(tenantId, 'Question', i % 2 ? 'high' : 'low', 30))
        before.push(await insert.blocked(tenantId, 'Blocked', i))
        before.push(await insert.activity(tenantId, 'In progress', { ago: i }))
        before.push(await insert.failed(tenantId, 'Failed', i + 1))
      }
    for (const reader of [
      client,
      (await createOperator(app)).client,
      await keyClient(app, (await addReviewer(app, 'third', [ours.tenantId, theirs.tenantId])).id),
    ]) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: Reply<'cli', 'GET /queue'> = await reader.call('cli', 'GET /queue', {
          query: { status: 'all', limit: 3, ...(cursor !== null && { cursor }) },
        })
        const lines = [...page.pending, ...page.blocked, ...page.running, ...page.failed]
        expect(lines.length).toBeLessThan(4)
        seen.push(...lines.map(({ id }) => id))
        cursor = page.pagination.nextCursor
        await insert.approval(ours.tenantId, 'New', 'high', 30)
        await insert.blocked(theirs.tenantId, 'New', 50)
        await insert.failed(theirs.tenantId, 'New', 0)
        clock.advance(10)
      } while (cursor !== null)
      expect(new Set(seen).size).toBe(seen.length)
      expect(before.filter((id) => !seen.includes(id))).toEqual([])
    }
  })

  it('accepts the id of a row as cursor, and rejects an invalid one and that of another list', async () => {
    const { app, ours, theirs, insert } = await createQueues()
    await using _ = app
    const first = await insert.approval(ours.tenantId, 'First', 'high', 1)
    await insert.approval(ours.tenantId, 'Second', 'high', 2)
    const foreign = await insert.approval(theirs.tenantId, 'Foreign', 'high', 2)
    const failed = await insert.failed(ours.tenantId, 'Failed', 1)
    const after = (cursor: string) => ours.reviewer.call('cli', 'GET /queue', { query: { cursor } })
    expect(titles((await after(first)).pending)).toEqual(['Second'])
    for (const cursor of [foreign, failed, 'nonsense', '9.a.b', `6.abc.${first}`])
      expect(await refusal(after(cursor))).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field: 'cursor',
      })
  })

  it('never shows a tenant that is not assigned, by tenantId, header or key', async () => {
    const { app, ours, theirs, insert } = await createQueues()
    await using _ = app
    await insert.approval(ours.tenantId, 'Ours', 'low', 5)
    await insert.approval(theirs.tenantId, 'Theirs', 'low', 5)
    const both = await addReviewer(app, 'both', [ours.tenantId, theirs.tenantId])
    const seen = async (client: typeof both.client, input: object = {}) =>
      titles((await client.call('cli', 'GET /queue', input)).pending)
    expect(await seen(ours.reviewer)).toEqual(['Ours'])
    expect(await seen(both.client)).toEqual(['Ours', 'Theirs'])
    expect(await seen(both.client, { query: { tenantId: theirs.tenantId } })).toEqual(['Theirs'])
    expect(await seen(both.client, { headers: { 'x-tenant-id': ours.tenantId } })).toEqual(['Ours'])
    const narrow = await keyClient(app, both.id, { tenantIds: [theirs.tenantId] })
    expect(await seen(narrow)).toEqual(['Theirs'])
    expect(await refusal(seen(narrow, { query: { tenantId: ours.tenantId } }))).toMatchObject({ status: 403 })
    expect(await refusal(seen(ours.reviewer, { query: { tenantId: theirs.tenantId } }))).toMatchObject({
      status: 403,
    })
    const two = { query: { tenantId: ours.tenantId }, headers: { 'x-tenant-id': theirs.tenantId } }
    expect(await refusal(seen(both.client, two))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      field: 'tenantId',
    })
  })
})
