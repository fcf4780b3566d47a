import { describe, expect, it } from 'vitest'
import { referencePage } from '../../packages/server/src/reference.ts'
import { cli, temporaryFolder } from '../cli/process.ts'
import { createTestApp } from '../kit/app.ts'

const baseUrl = 'https://desk.example.com'

describe('the API reference', () => {
  it('asks no other host: fonts, client, assistant and telemetry of its maker are off, and its policy forbids them', async () => {
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
    const code = await app.fetch('/docs/reference.js')
    expect([code.status, code.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it('names the server that requests go to, so that its examples can be run as they stand', async () => {
    await using app = await createTestApp({ worker: false, baseUrl })
    const served = (await (await app.fetch('/openapi.json')).json()) as object
    const servers = [{ url: baseUrl }]
    expect(served).toMatchObject({ servers })
    expect(app.copydesk.openapi()).toMatchObject({ servers })
    using folder = temporaryFolder()
    const { stdout } = await cli(['openapi'], { cwd: folder.path, env: { COPYDESK_BASE_URL: baseUrl } })
    expect(JSON.parse(stdout)).toMatchObject({ servers })
  })
})
