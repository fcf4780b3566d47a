import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { toOpenApi } from '../../packages/core/src/gateway/openapi.ts'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { strictly } from '../../packages/core/src/gateway/strict.ts'
import { surface } from '../../packages/core/src/gateway/surface.ts'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import {
  isoDate,
  page,
  pageQuery,
  queryBool,
  queryInt,
  queryList,
} from '../../packages/core/src/platform/wire.ts'
import { publicAccess, team } from './rig.ts'

const item = z.object({ id: z.string(), at: isoDate }).meta({ id: 'Item' })
type Tree = { name: string; children: Tree[] }
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.array(z.lazy(() => tree)) })

const list = endpoint({
  id: 'd.list',
  route: 'GET /items',
  summary: 'List',
  access: team,
  query: pageQuery.extend({ 'filter.open': queryBool.optional() }),
  reply: { 200: page(item) },
}).handle(async () => ({ data: [], pagination: { hasMore: false, nextCursor: null } }))
const change = endpoint({
  id: 'd.change',
  route: 'PATCH /items/:itemId',
  summary: 'Change',
  access: team,
  body: z.object({ due: isoDate, tree }),
  reply: { 200: item },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  deprecated: { since: '2026-01-01', sunset: '2027-01-01' },
}).handle(async () => ({ id: 'x', at: new Date() }))
const gone = endpoint({
  id: 'd.gone',
  route: 'DELETE /items/:itemId',
  summary: 'Delete',
  access: publicAccess,
  reply: { 204: z.void() },
}).handle(async () => {})
const live = eventStream({
  id: 'd.live',
  route: 'GET /live',
  summary: 'Watch',
  access: team,
  events: { tick: z.object({ item }) },
  open() {},
})
const put = upload({
  id: 'd.put',
  route: 'POST /files',
  summary: 'Upload',
  access: team,
  body: z.object({ label: z.string() }),
  files: { files: { maxBytes: 1, maxFiles: 3 } },
  reply: { 202: z.object({}) },
}).handle(async () => ({}))
const pageOf = raw({
  id: 'd.page',
  route: 'GET /page',
  summary: 'Page',
  access: publicAccess,
  reply: { 200: 'text/html' },
}).handle(async () => ({ body: '' }))

const door = surface({
  name: 'd',
  prefix: '/d/v1',
  access: team,
  tenant: 'query',
  limits: { perMinute: 1, burst: 0, by: 'user' },
  endpoints: [list, change, gone, live, put, pageOf],
})

describe('toOpenApi', () => {
  // biome-ignore lint: a document is any JSON
  const document = JSON.parse(JSON.stringify(toOpenApi([door], { title: 'T', version: '1' })))

  it('lists every endpoint with its id, parameters and statuses', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual([
      '/d/v1/items',
      '/d/v1/items/{itemId}',
      '/d/v1/live',
      '/d/v1/files',
      '/d/v1/page',
    ])
    const patch = document.paths['/d/v1/items/{itemId}'].patch
    expect(patch.operationId).toBe('d.change')
    expect(patch.deprecated).toBe(true)
    expect(patch.parameters[0]).toMatchObject({ name: 'itemId', in: 'path', required: true })
    expect(Object.keys(patch.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
    ])
    expect(patch.responses['409']).toMatchObject({ description: 'CONFLICT' })
    expect(patch.responses['404'].content['application/json'].schema.$ref).toBe(
      '#/components/schemas/ApiError',
    )
    expect(document.paths['/d/v1/items/{itemId}'].delete.responses['204'].content).toBe(undefined)
  })

  it('describes bodies and replies as they are on the wire', () => {
    const patch = document.paths['/d/v1/items/{itemId}'].patch
    const body = patch.requestBody.content['application/json'].schema
    expect(body.properties.due).toMatchObject({ type: 'string', format: 'date-time' })
    expect(body.additionalProperties).toBe(false)
    expect(patch.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Item',
    })
    expect(document.components.schemas.Item.properties.at.format).toBe('date-time')
    const query = document.paths['/d/v1/items'].get.parameters
    expect(query.map((one: { name: string }) => one.name)).toEqual([
      'limit',
      'cursor',
      'order',
      'filter.open',
      'tenantId',
    ])
    expect(query[0].schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 25 })
    expect(query.every((one: { required?: boolean }) => one.required !== true)).toBe(true)
  })

  it('describes streams, forms, pages and access rules', () => {
    const { get } = document.paths['/d/v1/live']
    expect(Object.keys(get.responses['200'].content)).toEqual(['text/event-stream'])
    expect(get.responses['200']['x-events'].tick.properties.item.$ref).toBe('#/components/schemas/Item')
    expect(get.security).toEqual([{ accessToken: [] }])
    const { schema } = document.paths['/d/v1/files'].post.requestBody.content['multipart/form-data']
    expect(schema.required).toEqual(['label', 'files'])
    expect(schema.properties.files).toMatchObject({ type: 'array', maxItems: 3 })
    expect(document.paths['/d/v1/page'].get.security).toEqual([])
    expect(Object.keys(document.paths['/d/v1/page'].get.responses['200'].content)).toEqual(['text/html'])
  })

  it('has no dangling references', () => {
    const text = JSON.stringify(document)
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string)
    expect(names.length).toBeGreaterThan(10)
    for (const name of new Set(names)) {
      const target = name
        .slice(2)
        .split('/')
        .reduce((node, part) => node?.[part], document)
      expect(target, name).toBeTypeOf('object')
    }
  })
})

describe('strictly', () => {
  const accepts = (schema: z.ZodType, value: unknown) => strictly(schema).safeParse(value).success
  it('rejects unknown fields at every depth', () => {
    const inner = z.object({ a: z.number() })
    const schema = z.object({
      list: z.array(inner).optional(),
      one: z.union([inner, z.string()]).optional(),
      by: z.record(z.string(), inner.nullable()).optional(),
    })
    expect(accepts(schema, { list: [{ a: 1 }], one: { a: 1 }, by: { k: { a: 1 } } })).toBe(true)
    expect(accepts(schema, { x: 1 })).toBe(false)
    expect(accepts(schema, { list: [{ a: 1, x: 1 }] })).toBe(false)
    expect(accepts(schema, { one: { a: 1, x: 1 } })).toBe(false)
    expect(accepts(schema, { by: { k: { a: 1, x: 1 } } })).toBe(false)
  })

  it('keeps refinements, and objects that accept any field', () => {
    const schema = z.object({ a: z.number(), any: z.looseObject({}).optional() }).refine(({ a }) => a > 1)
    expect(accepts(schema, { a: 2, any: { x: 1 } })).toBe(true)
    expect(accepts(schema, { a: 1 })).toBe(false)
    const kinds = z.discriminatedUnion('k', [
      z.object({ k: z.literal('a') }),
      z.object({ k: z.literal('b'), n: z.number() }),
    ])
    expect(accepts(kinds, { k: 'b', n: 1 })).toBe(true)
    expect(accepts(kinds, { k: 'a', n: 1 })).toBe(false)
  })
})

describe('query values', () => {
  const reads = (schema: z.ZodType, value: unknown) => {
    const result = schema.safeParse(value)
    return result.success ? result.data : 'refused'
  }
  it('accepts plain numbers only', () => {
    const limit = pageQuery.shape.limit
    expect(['1', '100', undefined].map((text) => reads(limit, text))).toEqual([1, 100, 25])
    for (const text of ['0', '101', '1e1', '0x10', '', ' 5', '5.5', 'ten', ['1', '2']]) {
      expect(reads(limit, text), String(text)).toBe('refused')
    }
    expect(reads(queryInt(-5, 5), '-5')).toBe(-5)
  })

  it('accepts flags and lists', () => {
    expect(['true', 'false', '1', ''].map((text) => reads(queryBool, text))).toEqual([
      true,
      false,
      'refused',
      'refused',
    ])
    const list = queryList(z.enum(['a', 'b']))
    expect(reads(list, 'a, b')).toEqual(['a', 'b'])
    expect(reads(list, ['a', 'b,a'])).toEqual(['a', 'b', 'a'])
    expect(reads(list, 'c')).toBe('refused')
    expect(reads(list.optional(), undefined)).toBe(undefined)
  })
})
