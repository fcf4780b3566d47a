import type { z } from 'zod'
import { elsewhere } from '../../../accounts/channels/clients.ts'
import type {
  PlatformAnswer,
  PlatformCall,
  PlatformRequest,
} from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'

/** An address of a platform, or the same path under the base that the operator has set in its place. */
export function addressOf(
  url: string,
  base: string | undefined,
  query: Readonly<Record<string, string>> = {},
): URL {
  const address = new URL(base === undefined ? url : elsewhere(url, base))
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/** The token of a consent, or one that a person has pasted. */
export function bearerOf({ secrets }: PlatformCall): { authorization: string } {
  return { authorization: `Bearer ${secrets.accessToken ?? secrets.secret ?? ''}` }
}

/** Reads an answer. @throws PlatformError `transient` for another than the API has: a firewall or a proxy answers in its place */
export function readAs<S extends z.ZodType>({ body }: PlatformAnswer, schema: S): z.output<S> {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  throw new PlatformError('transient', 'Something before the platform answers in its place')
}

/** A request with the account's token, and its answer. */
export async function requestAs<S extends z.ZodType>(
  call: PlatformCall,
  request: PlatformRequest,
  schema: S,
): Promise<z.output<S>> {
  const headers = { ...bearerOf(call), ...request.headers }
  return readAs(await call.request({ ...request, headers }), schema)
}

/** For a list of which a part would say the wrong thing. */
export const listTooLong = (): PlatformError =>
  new PlatformError('policy', 'The platform has a longer list than is read here')

/** For a post that is to be changed, and is not there: another is not made in its place. */
export const postIsGone = (): PlatformError =>
  new PlatformError('policy', 'The post is not there any more: someone has deleted it at the platform')
