import { readFile } from 'node:fs/promises'
import { publicAccess } from '../../gateway/access.ts'
import { toOpenApi } from '../../gateway/openapi.ts'
import { raw } from '../../gateway/raw.ts'
import { type AnySurface, surface } from '../../gateway/surface.ts'
import { version } from '../../platform/version.ts'
import { root } from './index.ts'

/**
 * The page loads nothing from other hosts, and disables its maker's features: fonts, client, assistant,
 * telemetry.
 */
const configuration = JSON.stringify({
  url: '/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
}).replaceAll('"', '&quot;')

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Copydesk API</title></head>
<body><script id="api-reference" data-configuration="${configuration}"></script><script src="/docs/reference.js"></script></body>
</html>
`

const html = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; script-src 'self' 'unsafe-inline'",
}

/**
 * The root surface with the OpenAPI document of all surfaces and the page that renders it, from local files.
 * @param surfaces gives all of them
 * @param given.baseUrl the server in the document
 * @param given.script file of the page's script; without it the page is not served
 */
export function docs(
  surfaces: () => Promise<readonly AnySurface[]>,
  { baseUrl, script }: { baseUrl?: string; script?: string | undefined } = {},
): AnySurface {
  const info = { title: 'Copydesk', version, ...(baseUrl !== undefined && { servers: [{ url: baseUrl }] }) }
  let text: string | undefined
  const document = raw({
    id: 'docs.openapi',
    route: 'GET /openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    access: publicAccess,
    reply: { 200: 'application/json' },
  }).handle(async () => {
    text ??= JSON.stringify(toOpenApi(await surfaces(), info))
    return { body: text, headers: { 'content-type': 'application/json; charset=utf-8' } }
  })
  const reference = raw({
    id: 'docs.page',
    route: 'GET /docs',
    summary: 'The API reference to read and try',
    access: publicAccess,
    reply: { 200: 'text/html' },
  }).handle(() => ({ body: page, headers: html }))
  const code = raw({
    id: 'docs.script',
    route: 'GET /docs/reference.js',
    summary: 'The script of the reference page',
    access: publicAccess,
    reply: { 200: 'text/javascript' },
  }).handle(async () => ({
    body: await readFile(script as string),
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  }))
  const pages = script ? [reference, code] : []
  return surface({ ...root, endpoints: [...root.endpoints, document, ...pages] })
}
