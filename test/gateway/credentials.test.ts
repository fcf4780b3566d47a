import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeSurfaces, openApiDocument } from '../../packages/core/src/surfaces/describe.ts'

/** Generated from the route tables: an endpoint that is added later is covered. */
const endpoints = describeSurfaces()

/** How fields are called that hold what only its owner may know. */
const isSecret = (name: string) => /password|secret|token$|api_?key|credential|auth_?value/i.test(name)

/** The names of all fields of a schema, at every depth. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  const names: string[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties') names.push(...Object.keys(value as object))
      walk(value)
    }
  }
  walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  return names
}

const withSecret = endpoints.filter(({ method, definition }) => {
  const fields = [...fieldsOf(definition.body), ...fieldsOf(definition.json)]
  return fields.some(isSecret) || (definition.secretPath && method !== 'GET')
})

describe('an endpoint with a credential in its input', () => {
  it('is detected by the names of its fields', () => {
    const ids = withSecret.map(({ id }) => id)
    for (const id of [
      'auth.login',
      'auth.refresh',
      'auth.password.change',
      'auth.password.reset',
      'auth.invitations.accept',
      'auth.register.start',
      'admin.tenants.create',
      'admin.llm_providers.create',
      'dashboard.agents.change',
      'tenant.agents.change',
      'mobile.push.register',
    ])
      expect(ids).toContain(id)
  })

  it.each(withSecret.map((info) => [`${info.method} ${info.path}`, info] as const))(
    '%s says so in its definition',
    (_, { definition }) => expect(definition.takesCredential).toBe(true),
  )

  it('does not offer an Idempotency-Key, and accepts requests with one', () => {
    const { paths } = openApiDocument('https://copydesk.example') as {
      paths: Record<string, Record<string, { parameters?: Array<{ name?: string }> }>>
    }
    const offers = ({ path, method }: (typeof endpoints)[number]) =>
      paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.parameters?.some(
        ({ name }) => name === 'Idempotency-Key',
      ) ?? false
    const keyed = endpoints.filter(offers)
    expect(keyed.length).toBeGreaterThan(20)
    expect(keyed.filter(({ definition }) => definition.takesCredential).map(({ id }) => id)).toEqual([])
  })
})
