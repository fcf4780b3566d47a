import { z } from 'zod'
import type { ErrorCode } from '../kernel/errors.ts'
import { apiError, ulid } from '../platform/wire.ts'
import { type AnyEndpoint, takesKey } from './definition.ts'
import { refusals, statusOfCode } from './errors.ts'
import { type AnySurface, isConditional } from './surface.ts'

type Json = Record<string, unknown>

export interface OpenApiInfo {
  title: string
  version: string
  description?: string
  servers?: readonly { url: string; description?: string }[]
}

/**
 * The OpenAPI 3.1 document of the surfaces, from the same values that serve them. Schemas with an `id` in their meta
 * data become shared components.
 */
export function toOpenApi(surfaces: readonly AnySurface[], info: OpenApiInfo): Json {
  const schemas: Json = { ApiError: convert(apiError, {}) }
  const paths: Record<string, Json> = {}
  for (const surface of surfaces) {
    for (const endpoint of surface.endpoints) {
      const own = endpoint.path === '/' && surface.prefix !== '' ? '' : endpoint.path
      const path = (surface.prefix + own).replace(/:([A-Za-z]\w*)/g, '{$1}')
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(surface, endpoint, schemas) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      ...(info.description && { description: info.description }),
    },
    ...(info.servers && { servers: info.servers }),
    tags: surfaces.map((surface) => ({ name: surface.name })),
    paths,
    components: { schemas, securitySchemes },
  }
}

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a user' },
  taskToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Token of one run of an agent',
  },
  registrationToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Token of one registration',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'ApiKey <key>' },
}

const schemeOf = {
  jwt: 'accessToken',
  task: 'taskToken',
  registration: 'registrationToken',
  apikey: 'apiKey',
} as const

function operation(surface: AnySurface, endpoint: AnyEndpoint, schemas: Json): Json {
  const { access } = endpoint
  const body = requestBody(endpoint, schemas)
  return {
    operationId: endpoint.id,
    tags: [surface.name],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    ...((endpoint.deprecated ?? surface.deprecated) && { deprecated: true }),
    parameters: parameters(surface, endpoint, schemas),
    ...(body && { requestBody: body }),
    responses: responses(surface, endpoint, schemas),
    security: access.public ? [] : access.credentials.map((kind) => ({ [schemeOf[kind]]: [] })),
  }
}

function parameters(surface: AnySurface, endpoint: AnyEndpoint, schemas: Json): Json[] {
  const found = endpoint.names.map((name, i): Json => {
    const form = endpoint.params[endpoint.keys[i] as string]
    const schema = form === 'ulid' ? ulid : form === 'text' || form === undefined ? z.string() : form
    return { name, in: 'path', required: true, schema: convert(schema, schemas) }
  })
  const declared = [
    ['query', endpoint.query],
    ['header', endpoint.headers],
  ] as const
  for (const [place, schema] of declared) {
    for (const [name, inner] of Object.entries(schema?.shape ?? {}) as [string, z.ZodType][]) {
      const required = !inner.safeParse(undefined).success
      found.push({ name, in: place, ...(required && { required }), schema: convert(inner, schemas) })
    }
  }
  const named = found.some((one) => one.name === 'tenantId')
  if (!endpoint.access.public && !named && surface.tenant.startsWith('query')) {
    found.push({ name: 'tenantId', in: 'query', schema: convert(ulid, schemas) })
  }
  if (endpoint.kind === 'stream' && endpoint.method === 'GET') {
    found.push({ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } })
  }
  if (isConditional(surface, endpoint)) {
    found.push({ name: 'If-None-Match', in: 'header', schema: { type: 'string' } })
  }
  if (takesKey(endpoint)) {
    found.push({ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } })
  }
  return found
}

function requestBody(endpoint: AnyEndpoint, schemas: Json): Json | undefined {
  const { body, files, json, kind, method } = endpoint
  if (kind === 'raw') {
    if (method === 'GET' || method === 'DELETE') return undefined
    return { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
  }
  if (files) {
    const form = body ? convert(body, schemas) : { type: 'object' }
    const properties: Json = { ...(form.properties as Json | undefined) }
    const required = [...((form.required as string[] | undefined) ?? [])]
    for (const [field, rule] of Object.entries(files)) {
      const file = { type: 'string', format: 'binary' }
      properties[field] =
        (rule.maxFiles ?? 1) > 1 ? { type: 'array', items: file, maxItems: rule.maxFiles } : file
      if ((rule.minFiles ?? 1) > 0) required.push(field)
    }
    const schema = { ...form, properties, ...(required.length > 0 && { required }) }
    return {
      required: true,
      content: {
        'multipart/form-data': { schema },
        ...(json && { 'application/json': { schema: convert(json, schemas) } }),
      },
    }
  }
  if (!body) return undefined
  const required = !body.safeParse({}).success
  return { required, content: { 'application/json': { schema: convert(body, schemas) } } }
}

function responses(surface: AnySurface, endpoint: AnyEndpoint, schemas: Json): Json {
  const found: Json = {}
  for (const [status, reply] of Object.entries(endpoint.replies)) {
    const description = descriptions[status] ?? 'Success'
    if (status === '204' || reply === '') found[status] = { description }
    else if (typeof reply !== 'string') {
      const file = endpoint.file && { [endpoint.file]: { schema: { type: 'string', format: 'binary' } } }
      const json = { 'application/json': { schema: convert(reply, schemas) } }
      found[status] = { description, content: { ...json, ...file } }
    } else {
      const schema = { type: 'string', ...(endpoint.events && { description: eventList(endpoint) }) }
      found[status] = { description, content: { [reply]: { schema } } }
      if (endpoint.events) {
        const events = Object.entries(endpoint.events).map(([name, data]) => [name, convert(data, schemas)])
        Object.assign(found[status] as Json, { 'x-events': Object.fromEntries(events) })
      }
    }
  }
  if (isConditional(surface, endpoint)) found['304'] = { description: 'The caller has this version already' }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of refusals(surface, endpoint)) {
    byStatus.set(statusOfCode[code], [...(byStatus.get(statusOfCode[code]) ?? []), code])
  }
  for (const [status, codes] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    const schema = { $ref: '#/components/schemas/ApiError' }
    found[String(status)] = { description: codes.join(', '), content: { 'application/json': { schema } } }
  }
  return found
}

const descriptions: Record<string, string> = {
  '200': 'Done',
  '201': 'Created',
  '202': 'Accepted, the work goes on',
  '204': 'Done, nothing to say',
  '302': 'Redirect',
}

const eventList = (endpoint: AnyEndpoint) => `Events: ${Object.keys(endpoint.events ?? {}).join(', ')}`

/** A schema as it stands on the wire. Named parts go to the components. */
function convert(schema: z.ZodType, schemas: Json): Json {
  const whole = z.toJSONSchema(z.object({ value: schema }), {
    io: 'input',
    unrepresentable: 'any',
    override: keepDefault,
  }) as Json
  const parts = Object.entries((whole.$defs as Json | undefined) ?? {})
  const names = new Map(parts.map(([name]) => [name, componentName(name, schemas)]))
  const rewire = (value: unknown): Json => {
    const text = JSON.stringify(value).replace(
      /"#\/\$defs\/([^"]+)"/g,
      (_, name: string) => `"#/components/schemas/${names.get(name)}"`,
    )
    return JSON.parse(text)
  }
  for (const [name, { id: _, ...part }] of parts as [string, Json][]) {
    schemas[names.get(name) as string] = rewire(part)
  }
  return rewire((whole.properties as Json).value)
}

/** Parts of a recursive schema without an id get a name of their own. */
const componentName = (name: string, schemas: Json) =>
  name.startsWith('__') ? `Part${Object.keys(schemas).length}${name.slice(2)}` : name

/** Zod drops the default of what it decodes, though callers want to know it. */
function keepDefault({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const { def } = zodSchema._zod as { def: { type: string; defaultValue?: unknown } }
  const isPlain = ['string', 'number', 'boolean'].includes(typeof def.defaultValue)
  if (def.type === 'default' && isPlain) Object.assign(jsonSchema, { default: def.defaultValue })
}
