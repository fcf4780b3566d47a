import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { access, publicAccess } from '../../packages/core/src/gateway/access.ts'
import { delegate } from '../../packages/core/src/gateway/delegate.ts'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { type EndpointTypes, surface } from '../../packages/core/src/gateway/surface.ts'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import { isoDate, page, pageQuery } from '../../packages/core/src/platform/wire.ts'

const staff = access({ roles: ['reviewer'], app: 'dm-portal' })
const when = new Date(0)

const list = endpoint({
  id: 't.list',
  route: 'GET /things',
  summary: 'List',
  access: staff,
  query: pageQuery.extend({ 'filter.kind': z.enum(['a', 'b']).optional() }),
  reply: { 200: page(z.object({ id: z.string(), at: isoDate })) },
}).handle((_ctx, { query, params, body }) => {
  expectTypeOf(query.limit).toEqualTypeOf<number>()
  expectTypeOf(query['filter.kind']).toEqualTypeOf<'a' | 'b' | undefined>()
  expectTypeOf(params).toEqualTypeOf<{}>()
  expectTypeOf(body).toEqualTypeOf<undefined>()
  return { data: [{ id: 'x', at: when }], pagination: { hasMore: false, nextCursor: null } }
})

const change = endpoint({
  id: 't.change',
  route: 'PATCH /things/:thingId/parts/:n',
  summary: 'Change',
  access: staff,
  params: { n: z.enum(['one', 'two']) },
  body: z.object({ due: isoDate, note: z.string().optional() }),
  reply: { 200: z.object({ ok: z.literal(true) }) },
}).handle(async (_ctx, { params, body }) => {
  expectTypeOf(params).toEqualTypeOf<{ thingId: string; n: 'one' | 'two' }>()
  expectTypeOf(body.due).toEqualTypeOf<Date>()
  return { ok: true }
})

const gone = endpoint({
  id: 't.gone',
  route: 'DELETE /things/:thingId',
  summary: 'Delete',
  access: publicAccess,
  reply: { 204: z.void() },
}).handle(async () => {})

const live = eventStream({
  id: 't.live',
  route: 'GET /things/:thingId/stream',
  summary: 'Watch',
  access: staff,
  events: { tick: z.object({ at: isoDate }) },
  open(_ctx, { params }, channel) {
    expectTypeOf(params.thingId).toEqualTypeOf<string>()
    channel.send({ event: 'tick', data: { at: when } })
    // @ts-expect-error no such event
    channel.send({ event: 'tock', data: {} })
  },
})

const put = upload({
  id: 't.put',
  route: 'POST /files',
  summary: 'Upload',
  access: staff,
  body: z.object({ label: z.string() }),
  files: { file: { maxBytes: 10 } },
  reply: { 201: z.object({ id: z.string() }) },
}).handle(async (_ctx, { files, body }) => {
  expectTypeOf(files.file[0]?.sha256).toEqualTypeOf<string | undefined>()
  return { id: body.label }
})

const also = delegate(change, { id: 'u.change', route: 'PATCH /stuff/:id/parts/:n', access: staff })

const things = surface({
  name: 'things',
  prefix: '/things/v1',
  access: staff,
  tenant: 'claim',
  limits: { perMinute: 1, burst: 0, by: 'user' },
  endpoints: [list, change, gone, live, put, also],
})

describe('EndpointTypes', () => {
  type T = EndpointTypes<typeof things>
  it('types requests and replies in wire form', () => {
    expectTypeOf<keyof T>().toEqualTypeOf<
      't.list' | 't.change' | 't.gone' | 't.live' | 't.put' | 'u.change'
    >()
    expectTypeOf<T['t.change']['body']>().toEqualTypeOf<{ due: string; note?: string | undefined }>()
    expectTypeOf<T['t.list']['reply']['data'][number]>().toEqualTypeOf<{ id: string; at: string }>()
    expectTypeOf<T['t.list']['query']['limit']>().toEqualTypeOf<string | number | undefined>()
    expectTypeOf<T['t.change']['route']>().toEqualTypeOf<'PATCH /things/:thingId/parts/:n'>()
    expectTypeOf<T['u.change']['params']>().toEqualTypeOf<{ id: string; n: 'one' | 'two' }>()
    expectTypeOf<T['t.gone']['reply']>().toEqualTypeOf<void>()
    expectTypeOf<T['t.live']['events']>().toEqualTypeOf<{ tick: { at: string } }>()
    expectTypeOf<T['t.put']['body']>().toEqualTypeOf<FormData>()
  })

  it('rejects a handler that returns something else than it declares', () => {
    endpoint({
      id: 't.bad',
      route: 'GET /bad',
      summary: 'Bad',
      access: staff,
      reply: { 200: z.object({ n: z.number() }) },
      // @ts-expect-error n must be a number
    }).handle(async () => ({ n: 'x' }))
    // @ts-expect-error access is required
    const open = endpoint({ id: 't.open', route: 'GET /open', summary: 'Open', reply: { 200: z.string() } })
    expectTypeOf(open).toHaveProperty('handle')
  })
})
