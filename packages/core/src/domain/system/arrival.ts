import type { Ctx } from '../context.ts'
import type { Arrival } from './schemas.ts'

/**
 * How a request has arrived, for whoever holds the keys of the installation. Serves `GET /health/arrival/:token`.
 * @throws DomainError `TOKEN_EXPIRED`, `INVALID_TOKEN`
 */
export function arrival(ctx: Ctx, token: string, seen: Arrival): Arrival {
  ctx.services.tokens.verify(token, 'arrival')
  return seen
}
