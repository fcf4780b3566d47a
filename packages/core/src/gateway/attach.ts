import { raw } from './raw.ts'
import { type AnySurface, surface } from './surface.ts'

/** One path that another part of the program answers: everything before and after that is what every request has. */
export interface AttachedPath {
  name: string
  /** Such as `/mcp`. */
  path: `/${string}`
  /** The surface whose access and limits it has, each counted for itself. */
  like: string
  /** Largest body in bytes; default 1 MiB. */
  maxBodyBytes?: number
  /**
   * Answers a `POST`; other methods are refused. The acts that it makes are on the record by the requests that it makes for them.
   * @param from the other end of the connection, for such requests
   */
  handle(request: Request, from: { ip?: string }): Promise<Response>
}

/** What the pipeline says on every answer by itself. */
const own =
  /^(x-request-id|x-ratelimit-.*|x-content-type-options|x-frame-options|referrer-policy|strict-transport-security|content-security-policy|content-length|access-control-.*|vary)$/

/** A surface of one endpoint, as which the pipeline serves an attachment. */
export function attached(
  { name, path, handle, maxBodyBytes }: AttachedPath,
  { access, limits, concurrency }: AnySurface,
): AnySurface {
  const endpoint = raw({
    id: `${name}.post`,
    route: 'POST /',
    summary: 'Answered by another part of the program',
    access,
    onlyReads: true,
    reply: { 200: 'application/json' },
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  }).handle(async (ctx, { body, request, remote }) => {
    ctx.trace.audited = true
    const { url, method, headers, signal } = request()
    const asked = new Request(url, { method, headers, signal, body: body as Uint8Array<ArrayBuffer> })
    const response = await handle(asked, remote === undefined ? {} : { ip: remote })
    const { status } = response
    const kept = Object.fromEntries([...response.headers].filter(([name]) => !own.test(name)))
    return { status, headers: { ...kept, 'cache-control': 'no-store' }, body: response.body }
  })
  return surface({
    name,
    prefix: path,
    access,
    limits,
    ...(concurrency !== undefined && { concurrency }),
    tenant: 'none',
    endpoints: [endpoint],
  })
}
