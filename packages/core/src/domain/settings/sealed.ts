import { LockMode } from '@mikro-orm/core'
import { replacePayload, selectPayloads } from '../../platform/jobs/queries.ts'
import { TenantAgent } from '../agents/entities.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { replaceAnswer, sealedAnswers } from '../identity/idempotency-queries.ts'
import { sealedFor as sealedForInvitation } from '../identity/invitation-mail.ts'
import { sealedFor as sealedForReset } from '../identity/password-reset.ts'
import { Setting } from './entities.ts'

/**
 * Looks at one sealed text.
 * @param aad what it is bound to
 * @returns the text that takes its place, or undefined to leave it
 */
export type Visit = (sealed: string, aad: string) => string | undefined

const batch = 200

type Payload = Record<string, unknown>

/** What jobs have sealed in their payloads, by their kind: the field, and what it is bound to. */
const sealedInJobs: Record<string, { field: string; aad(payload: Payload): string }> = {
  'mail.invitation': {
    field: 'token',
    aad: ({ invitationId }) => sealedForInvitation(invitationId as string),
  },
  'password.forgot': { field: 'email', aad: () => sealedForReset },
}

/** Takes `visit` to every sealed text of this installation; whatever seals something new is named here. */
export async function visitSealed(ctx: Ctx, visit: Visit): Promise<void> {
  await settings(ctx, visit)
  await webhookSecrets(ctx, visit)
  await answers(ctx, visit)
  await jobs(ctx, visit)
}

function settings(ctx: Ctx, visit: Visit): Promise<void> {
  return command(ctx, async (cmd) => {
    const rows = await cmd.em.findAll(Setting, { lockMode: LockMode.PESSIMISTIC_WRITE })
    for (const row of rows) row.value = visit(row.value, row.name) ?? row.value
  })
}

async function webhookSecrets(ctx: Ctx, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const from = after
    const last = await command(ctx, async (cmd) => {
      const rows = await cmd.em.find(
        TenantAgent,
        { id: { $gt: from } },
        { orderBy: { id: 'asc' }, limit: batch, lockMode: LockMode.PESSIMISTIC_WRITE },
      )
      for (const agent of rows) {
        const sealed = agent.adapterConfig?.authValueSealed
        const authValueSealed = sealed === undefined ? undefined : visit(sealed, agent.tenantId)
        if (authValueSealed) agent.adapterConfig = { ...agent.adapterConfig, authValueSealed }
      }
      return rows.at(-1)?.id
    })
    if (last === undefined) return
    after = last
  }
}

async function answers(ctx: Ctx, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await sealedAnswers(ctx.sql, after, batch)
    for (const { key, response } of rows) {
      const fresh = visit(response, key)
      if (fresh) await ctx.db.write((tx) => replaceAnswer(tx, key, response, fresh))
    }
    const last = rows.at(-1)?.key
    if (last === undefined) return
    after = last
  }
}

/** A dead letter may be given another life, so only jobs that are done are left out. */
async function jobs(ctx: Ctx, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await selectPayloads(ctx.sql, Object.keys(sealedInJobs), after, batch)
    for (const { id, kind, payload } of rows) {
      const { field, aad } = sealedInJobs[kind] as (typeof sealedInJobs)[string]
      const fresh = visit(payload[field] as string, aad(payload))
      if (fresh) await replacePayload(ctx.db, id, { ...payload, [field]: fresh })
    }
    const last = rows.at(-1)?.id
    if (last === undefined) return
    after = last
  }
}
