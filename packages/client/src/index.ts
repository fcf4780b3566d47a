import type { Surfaces } from '@copydesk/core'
import { ApiError } from './errors.ts'
import { follow, type ServerEvent } from './sse.ts'

export { ApiError } from './errors.ts'
export type { ServerEvent } from './sse.ts'

type Surface = Surfaces[number]
/** Names of the surfaces, such as `dashboard`. */
export type SurfaceName = Surface['name']
type Endpoints<N extends SurfaceName> = Extract<Surface, { name: N }>['endpoints'][number]
/** Method and path of every endpoint of a surface, such as `POST /campaigns`. */
export type RouteOf<N extends SurfaceName> = Endpoints<N>['route']
type EndpointOf<N extends SurfaceName, R> = Extract<Endpoints<N>, { route: R }>
type Types<N extends SurfaceName, R> = EndpointOf<N, R>['~types']

type Part<K extends string, T> = [T] extends [undefined]
  ? { [P in K]?: undefined }
  : Record<string, never> extends T
    ? { [P in K]?: T }
    : { [P in K]: T }

/** The input of a request, exactly as its endpoint declares it. */
export type CallInput<N extends SurfaceName, R> = (keyof Types<N, R>['params'] extends never
  ? { params?: undefined }
  : { params: Types<N, R>['params'] }) &
  Part<'query', Types<N, R>['query']> &
  Part<'body', Types<N, R>['body']> & { signal?: AbortSignal; headers?: Record<string, string> }

export type Reply<N extends SurfaceName, R> = Types<N, R>['reply']

/** The events of a stream with the data of each. */
export type EventsOf<N extends SurfaceName, R> =
  Types<N, R> extends { events: infer E }
    ? { [K in keyof E & string]: ServerEvent<K, E[K]> }[keyof E & string]
    : never

type Input<T> = Record<string, never> extends T ? [input?: T] : [input: T]

/** Callbacks for the connection state of a stream. */
interface Watched {
  /** Called when the stream is connected, and when it was disconnected and reconnects. */
  connected?(stands: boolean): void
}

export interface ClientOptions {
  /** Base URL of the server, without a path. */
  baseUrl: string
  /** An access or task token; a function is called before every request. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  apiKey?: string
  fetch?: typeof globalThis.fetch
}

/** Calls every endpoint by its surface and route, with the types of the server's route tables. */
export interface Client {
  /** @throws ApiError for every response that is not 2xx */
  call<N extends SurfaceName, const R extends RouteOf<N>>(
    surface: N,
    route: R,
    ...input: Input<CallInput<N, R>>
  ): Promise<Reply<N, R>>
  /**
   * Follows a stream: reconnects after the last received event, ends when the server closes it after its last
   * event or when `signal` aborts. A stream other than a `GET` is requested once and ends with its connection.
   */
  stream<N extends SurfaceName, const R extends RouteOf<N>>(
    surface: N,
    route: R,
    ...input: Input<CallInput<N, R> & Watched>
  ): AsyncIterable<EventsOf<N, R>>
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  headers?: Record<string, string>
  connected?(stands: boolean): void
}

/** Streams for which the default final events are ordinary events. */
const endsOf: Partial<Record<string, readonly string[]>> = {
  'cli GET /activities/:id/stream': ['activity_completed'],
}

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? globalThis.fetch
  const base = options.baseUrl.replace(/\/$/, '')

  const authorization = async (): Promise<Record<string, string>> => {
    if (options.apiKey) return { authorization: `ApiKey ${options.apiKey}` }
    const token = typeof options.token === 'function' ? await options.token() : options.token
    return token ? { authorization: `Bearer ${token}` } : {}
  }
  const request = async (
    surface: string,
    route: string,
    input: AnyInput,
    headers: Record<string, string>,
  ): Promise<Response> => {
    const [method = 'GET', path = '/'] = route.split(' ')
    const filled = path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(input.params?.[name] ?? ''),
    )
    const url = new URL(base + (surface === 'root' ? '' : `/${surface}/v1`) + filled)
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value as string | number | boolean))
    // A form sets its content type, with the boundary between its parts.
    const isForm = input.body instanceof FormData
    const json: Record<string, string> =
      input.body === undefined || isForm ? {} : { 'content-type': 'application/json' }
    const response = await send(url, {
      method,
      headers: { ...(await authorization()), ...json, ...headers, ...input.headers },
      ...(input.body !== undefined && {
        body: isForm ? (input.body as FormData) : JSON.stringify(input.body),
      }),
      ...(input.signal && { signal: input.signal }),
    })
    if (!response.ok) throw await ApiError.from(response)
    return response
  }
  return {
    async call(surface: string, route: string, ...[input]: [unknown?]) {
      const response = await request(surface, route, input ?? {}, {
        accept: 'application/json',
      })
      return response.status === 204 ? undefined : response.json()
    },
    stream(surface: string, route: string, ...[input]: [unknown?]) {
      const given = (input ?? {}) as AnyInput
      const open = (lastEventId: string | undefined) => {
        const headers = new Headers(given.headers)
        // The initial cursor is outdated when the connection breaks.
        if (lastEventId !== undefined) headers.set('last-event-id', lastEventId)
        const from = { ...given, headers: Object.fromEntries(headers) }
        return request(surface, route, from, { accept: 'text/event-stream' })
      }
      const isOnce = !route.startsWith('GET ')
      return follow(open, given.signal, endsOf[`${surface} ${route}`], given.connected, isOnce)
    },
  } as unknown as Client
}
