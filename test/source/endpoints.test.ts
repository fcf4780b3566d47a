import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { AnyEndpoint } from '../../packages/core/src/gateway/definition.ts'
import { impliedErrors } from '../../packages/core/src/gateway/errors.ts'
import { surfaces } from '../../packages/core/src/surfaces/surfaces.ts'

const folder = fileURLToPath(new URL('../../packages/core/src/surfaces', import.meta.url))
const tests = fileURLToPath(new URL('..', import.meta.url))

/** `delete` is a reserved word. */
const reserved: Readonly<Record<string, string>> = { delete: 'remove' }

/** What an endpoint is exported as: `dm.approvals.bulk_resolve` is `bulkResolve`. */
function exportNameOf(id: string): string {
  const last = (id.split('.').at(-1) ?? '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return reserved[last] ?? last
}

async function exportedEndpoints(): Promise<Array<{ file: string; name: string; id: string }>> {
  const files = globSync('*/*.ts', { cwd: folder }).filter(
    (file) => !/\/(?:index|access|docs)\.ts$/.test(file),
  )
  const modules = await Promise.all(
    files.map(async (file) => [file, (await import(join(folder, file))) as Record<string, unknown>] as const),
  )
  return modules.flatMap(([file, module]) =>
    Object.entries(module).flatMap(([name, value]) => {
      const id = (value as Partial<AnyEndpoint> | undefined)?.id
      return id === undefined ? [] : [{ file, name, id }]
    }),
  )
}

/** Ids of endpoints with a handler of their own; one that is delegated is tested where its handler is. */
function ownIds(): string[] {
  return globSync('*/*.ts', { cwd: folder }).flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), 'utf8').matchAll(/(?<!delegate\([\w.]+, \{\s*)\bid: '([\w.]+)'/g),
      ([, id = '']) => id,
    ),
  )
}

/** Words in the head of each `describe`: its title, and the table of a `describe.each`. Batteries over all endpoints are left out. */
function namedInTests(): Set<string> {
  const heads = globSync('**/*.test.ts', { cwd: tests })
    .filter((file) => !/^surfaces\/(?:every-endpoint|fuzz|isolation)\//.test(file))
    .flatMap((file) => readFileSync(join(tests, file), 'utf8').match(/^ *describe\b[^]*?=> \{$/gm) ?? [])
  return new Set(heads.join('\n').match(/[\w.]+/g))
}

describe('every endpoint', () => {
  it('is exported under the name that its id ends with', async () => {
    const wrong = (await exportedEndpoints()).filter(({ name, id }) => name !== exportNameOf(id))
    expect(wrong).toEqual([])
  })

  it('has a test in a describe with its id', () => {
    const named = namedInTests()
    const own = ownIds()
    expect(own.length).toBeGreaterThan(250)
    expect(own.filter((id) => !named.has(id))).toEqual([])
  })

  it('is served by the surface of its folder', async () => {
    const served = new Set(surfaces.flatMap(({ endpoints }) => endpoints.map(({ id }: AnyEndpoint) => id)))
    const exported = await exportedEndpoints()
    expect(exported.length).toBeGreaterThan(300)
    expect(exported.filter(({ id }) => !served.has(id))).toEqual([])
  })

  it('lists no error that its access, params or body imply', () => {
    const superfluous = surfaces.flatMap(({ endpoints }) =>
      endpoints.flatMap((endpoint: AnyEndpoint) => {
        const implied = impliedErrors(endpoint)
        return endpoint.errors.filter((code) => implied.has(code)).map((code) => `${endpoint.id}: ${code}`)
      }),
    )
    expect(superfluous).toEqual([])
  })
})
