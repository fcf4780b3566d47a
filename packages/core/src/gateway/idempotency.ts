import { createHash } from 'node:crypto'
import { DomainError, invalid } from '../kernel/errors.ts'
import { textAnswer } from './reply.ts'
import { header, type RequestContext } from './request-context.ts'

const replayed = ['Idempotent-Replayed', 'true']

/**
 * Claims the request's `Idempotency-Key`, bound to caller, method and path. The same request again gets the first
 * answer; only POST has keys.
 * @throws DomainError `CONFLICT` while the first is in flight, and when its answer was lost; `UNPROCESSABLE` when the
 *   request is another one
 */
export async function claimIdempotencyKey(x: RequestContext): Promise<void> {
  const store = x.runtime.ports.idempotency
  const given = header(x.incoming, 'idempotency-key')
  if (!store || given === undefined || !x.endpoint.takesKey) return
  if (!/^[\x21-\x7e]{1,255}$/.test(given)) {
    throw invalid('Idempotency-Key', 'Idempotency-Key takes 1 to 255 visible ASCII characters')
  }
  const { method, path, search } = x.incoming
  const { id, keyId = '' } = x.principal ?? { id: `ip:${x.ip}` }
  const key = digest([id, keyId, method, path, given])
  const tenant = header(x.incoming, 'x-tenant-id') ?? ''
  const claimed = await store.begin(key, digest([search, x.bodyHash ?? '', tenant]))
  switch (claimed.state) {
    case 'new':
      x.claim = claimed.claim
      return
    case 'running':
      throw new DomainError('CONFLICT', 'The first request with this Idempotency-Key is still in progress')
    case 'unanswered':
      throw new DomainError(
        'CONFLICT',
        'The first request with this Idempotency-Key was carried out, but its answer was lost: look at what it did',
      )
    case 'other':
      throw new DomainError('UNPROCESSABLE', 'This Idempotency-Key was used for another request')
    case 'done':
      x.answer =
        claimed.status === 204
          ? { status: 204, headers: replayed, body: null }
          : textAnswer(claimed.status, claimed.body, replayed)
  }
}

/** Keeps the answer of a success for anyone who asks again, and forgets the claim of anything else. */
export async function settleClaim(x: RequestContext): Promise<void> {
  const store = x.runtime.ports.idempotency
  const { claim: held, answer } = x
  if (!store || !held) return
  try {
    if (answer && answer.status < 300 && (answer.body === null || typeof answer.body === 'string')) {
      await store.complete(held, { status: answer.status, body: answer.body ?? '' })
    } else await store.abandon(held)
  } catch (error) {
    x.runtime.log.error('The answer to an idempotent request could not be kept', {
      requestId: x.requestId,
      error,
    })
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
