import type { Ctx } from '../../kernel/context.ts'
import { narrowed, notAssigned } from '../../kernel/scope.ts'
import { interpret } from './interpret.ts'
import { askModel } from './model.ts'
import { loadContext } from './query-context.ts'
import type { LanguageAnswer, LanguageQuery } from './schemas.ts'

/**
 * Understands what a person of staff asks in plain words: facts, one command to confirm, or a question back. Nothing is
 * changed by it. Serves `POST /cli/v1/nl`.
 * @throws DomainError `FORBIDDEN` for a tenant that the person does not work for
 */
export async function answer(ctx: Ctx, { query, context }: LanguageQuery): Promise<LanguageAnswer> {
  const { tenantId, history = [] } = context
  const own = tenantId === undefined ? ctx : narrowed(ctx, tenantId)
  const setting = await loadContext(own)
  if (tenantId !== undefined && setting.counts.length === 0) throw notAssigned()
  const reading = await interpret(setting, query, history)
  if (!reading.unsure) return reading.answer
  const found = await askModel({ ...setting, earlier: nothingEarlier }, query, history, reading)
  return (found ?? reading).answer
}

/** A model names everything by its id. */
async function* nothingEarlier() {}
