import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AnyEndpoint } from '../../packages/core/src/gateway/definition.ts'
import { surfaces } from '../../packages/core/src/surfaces/surfaces.ts'
import { referencePage } from '../../packages/server/src/reference.ts'
import { cli, temporaryFolder } from '../cli/process.ts'
import { createTestApp } from '../kit/app.ts'

const baseUrl = 'https://desk.example.com'

describe('docs.page', () => {
  it('loads nothing from other hosts: fonts, client, assistant and telemetry are off, and the CSP forbids them', async () => {
    const script = referencePage()
    await using app = await createTestApp({
      worker: false,
      baseUrl,
      ...(script && { referencePage: script }),
    })
    const page = await app.fetch('/docs')
    const html = await page.text()
    const [, given = '{}'] = /data-configuration="([^"]*)"/.exec(html) ?? []
    expect(JSON.parse(given.replaceAll('&quot;', '"'))).toEqual({
      url: '/openapi.json',
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    })
    expect(html).not.toMatch(/https?:\/\//)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'")
    expect(policy).not.toMatch(/https?:|\*/)
  })
})

describe('docs.script', () => {
  it('returns the script of the page from local files', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'reference.js')
    await writeFile(file, 'const page = 1')
    await using app = await createTestApp({ worker: false, baseUrl, referencePage: file })
    const code = await app.fetch('/docs/reference.js')
    expect([code.status, code.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await code.text()).toBe('const page = 1')
  })

  it('returns 404 without the file, as does the page', async () => {
    await using app = await createTestApp({ worker: false, baseUrl })
    for (const path of ['/docs/reference.js', '/docs']) expect((await app.fetch(path)).status).toBe(404)
  })
})

describe('docs.openapi', () => {
  it('returns a document with every endpoint of every surface, by its id', async () => {
    await using app = await createTestApp({ worker: false, baseUrl })
    const answer = await app.fetch('/openapi.json')
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const { paths } = (await answer.json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    const served = surfaces.flatMap(({ endpoints }) => endpoints.map(({ id }: AnyEndpoint) => id))
    expect(described.toSorted()).toEqual(served.toSorted())
  })

  it('names the server, so that its examples can be executed unchanged', async () => {
    await using app = await createTestApp({ worker: false, baseUrl })
    const served = (await (await app.fetch('/openapi.json')).json()) as object
    const servers = [{ url: baseUrl }]
    expect(served).toMatchObject({ servers })
    expect(await app.copydesk.openapi()).toMatchObject({ servers })
    using folder = temporaryFolder()
    const { stdout } = await cli(['openapi'], { cwd: folder.path, env: { COPYDESK_BASE_URL: baseUrl } })
    expect(JSON.parse(stdout)).toMatchObject({ servers })
  })
})
