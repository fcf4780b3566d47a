import { DomainError } from '../kernel/errors.ts'
import { publicAccess } from './access.ts'
import { type Compiled, compile } from './compile.ts'
import { createCors } from './cors.ts'
import type { AnyEndpoint } from './definition.ts'
import { MethodNotAllowed } from './pipeline.ts'
import { raw } from './raw.ts'
import type { Runtime } from './runtime.ts'
import type { AnySurface } from './surface.ts'

interface Shape {
  pattern: RegExp
  methods: readonly string[]
  /** Anyone may call all of them. */
  open: boolean
  /** Stands for the path in logs where it holds a secret. */
  shownPath: string | undefined
}

/**
 * What a surface answers where no endpoint does: 405 with `Allow` for a known path, 404 for an unknown one, and preflights
 * of allowed origins. The access matrix is asked first, as for every path.
 * @returns a function from method, path and request to the endpoint that answers
 */
export function createFallback(runtime: Runtime, surface: AnySurface) {
  const shapes: Shape[] = surface.endpoints.map((one) => {
    const path = (surface.prefix + one.path).replace(/[.~-]/g, '\\$&').replace(/:[A-Za-z]\w*/g, '[^/]+')
    const methods = one.method === 'GET' && one.kind !== 'stream' ? ['GET', 'HEAD'] : [one.method]
    const shownPath = one.secretPath ? surface.prefix + one.path : undefined
    const pattern = new RegExp(`^${path.replace(/\/$/, '')}/?$`)
    return { pattern, methods, open: one.access.public, shownPath }
  })
  const answering = new Map<string, Compiled>()

  function answer(
    id: string,
    { open, shownPath }: Pick<Shape, 'open' | 'shownPath'>,
    act: () => { status: number; headers?: Record<string, string> },
  ) {
    const key = `${id} ${open} ${shownPath}`
    let compiled = answering.get(key)
    if (!compiled) {
      const access = open ? publicAccess : surface.access
      const endpoint = raw({
        id: `${surface.name}.${id}`,
        route: 'GET /',
        summary: 'Answers where no endpoint does',
        access,
        reply: { 204: '' },
        errors: ['NOT_FOUND', 'METHOD_NOT_ALLOWED'],
      }).handle(act) as AnyEndpoint
      compiled = { ...compile(surface, endpoint), shownPath }
      answering.set(key, compiled)
    }
    return compiled
  }

  return (method: string, path: string, request: Request): Compiled => {
    const matching = shapes.filter((shape) => shape.pattern.test(path))
    const known = matching.flatMap((shape) => shape.methods)
    if (known.length === 0) {
      return answer('unknown', { open: false, shownPath: undefined }, () => {
        throw new DomainError('NOT_FOUND', 'There is nothing at this path')
      })
    }
    const shownPath = matching.find((shape) => shape.shownPath)?.shownPath
    const allow = [...new Set(known)].toSorted().join(', ')
    if (method === 'OPTIONS') {
      const headers = runtime.cors.preflight(request.headers.get('origin') ?? undefined, allow)
      if (headers)
        return answer(`preflight ${allow}`, { open: true, shownPath }, () => ({
          status: 204,
          headers: pairs(headers),
        }))
    }
    // Callers without access do not learn which methods there are.
    const open = matching.every((shape) => shape.open)
    return answer(`method ${allow}`, { open, shownPath }, () => {
      throw new MethodNotAllowed(allow)
    })
  }
}

/**
 * Answers the preflights of an endpoint that has origins of its own. One of another origin is told nothing, and its browser keeps the
 * page from sending.
 */
export function preflightOf(surface: AnySurface, { path, method, origins }: AnyEndpoint): AnyEndpoint {
  return raw({
    id: `${surface.name}.preflight`,
    route: `GET ${path as `/${string}`}`,
    summary: 'Answers preflights',
    access: publicAccess,
    reply: { 204: '' },
    errors: ['NOT_FOUND'],
    // The configured ones do not count here; what is said of them is said by the handler.
    origins: () => Promise.resolve([]),
  }).handle(async (ctx, { params, header }) => {
    const cors = createCors({ origins: (await origins?.(ctx, params)) ?? [] })
    const origin = header('origin')
    return { headers: pairs([...cors.headers(origin), ...(cors.preflight(origin, method) ?? [])]) }
  }) as AnyEndpoint
}

function pairs(flat: readonly string[]): Record<string, string> {
  const entries: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) entries[flat[i] as string] = flat[i + 1] as string
  return entries
}
