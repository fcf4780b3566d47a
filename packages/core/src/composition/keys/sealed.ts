import { LockMode } from '@mikro-orm/core'
import { ChannelConnection, ConnectAttempt } from '../../domain/accounts/channels/entities.ts'
import { revokeTokensJob } from '../../domain/accounts/channels/jobs.ts'
import { mailInvitationJob, openResetJob } from '../../domain/accounts/identity/jobs.ts'
import { invitationTokenContext as sealedForInvitation } from '../../domain/accounts/identity/mail.ts'
import { resetEmailContext as sealedForReset } from '../../domain/accounts/identity/password-reset.ts'
import { TenantAgent } from '../../domain/agents/configuration/entities.ts'
import { LlmProvider, providerKeyContext } from '../../domain/agents/models/entities.ts'
import { Webhook } from '../../domain/delivery/webhooks/entities.ts'
import type { Ctx, Transaction } from '../../kernel/context.ts'
import { Setting } from '../../kernel/entities.ts'
import { encryptedAnswers, replaceEncryptedAnswer } from '../../kernel/idempotency-queries.ts'
import { transact } from '../../kernel/transact.ts'
import { replacePayload, selectPayloads } from '../../platform/jobs/queries.ts'

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
  [mailInvitationJob.kind]: {
    field: 'token',
    aad: ({ invitationId }) => sealedForInvitation(invitationId as string),
  },
  [openResetJob.kind]: { field: 'email', aad: () => sealedForReset },
  [revokeTokensJob.kind]: { field: 'tokens', aad: ({ tenantId }) => tenantId as string },
}

/** Takes `visit` to every sealed text of this installation; whatever seals something new is named here. */
export async function visitEncrypted(ctx: Ctx, visit: Visit): Promise<void> {
  await settings(ctx, visit)
  await runtimeSecrets(ctx, visit)
  await webhookSecrets(ctx, visit)
  await channelTokens(ctx, visit)
  await connectAttempts(ctx, visit)
  await providerKeys(ctx, visit)
  await answers(ctx, visit)
  await jobs(ctx, visit)
}

function settings(ctx: Ctx, visit: Visit): Promise<void> {
  return transact(ctx, async (txn) => {
    const rows = await txn.em.findAll(Setting, { lockMode: LockMode.PESSIMISTIC_WRITE })
    for (const row of rows) row.value = visit(row.value, row.name) ?? row.value
  })
}

/**
 * Goes through the locked rows of a table in the order of their ids, a batch in each transaction.
 * @param read the next rows after an id
 */
async function inBatches<Row extends { id: string }>(
  ctx: Ctx,
  read: (txn: Transaction, where: { id: { $gt: string } }, options: typeof page) => Promise<Row[]>,
  change: (row: Row) => void,
): Promise<void> {
  for (let after = ''; ; ) {
    const from = after
    const last = await transact(ctx, async (txn) => {
      const rows = await read(txn, { id: { $gt: from } }, page)
      for (const row of rows) change(row)
      return rows.at(-1)?.id
    })
    if (last === undefined) return
    after = last
  }
}

const page = { orderBy: { id: 'asc' }, limit: batch, lockMode: LockMode.PESSIMISTIC_WRITE } as const

function webhookSecrets(ctx: Ctx, visit: Visit): Promise<void> {
  return inBatches(
    ctx,
    ({ em }, where, options) => em.find(Webhook, where, options),
    (webhook) => {
      const { secretSealed, previousSecretSealed, tenantId } = webhook
      webhook.secretSealed = visit(secretSealed, tenantId) ?? secretSealed
      if (previousSecretSealed !== null)
        webhook.previousSecretSealed = visit(previousSecretSealed, tenantId) ?? previousSecretSealed
    },
  )
}

/** Of external runtimes that agents work in. */
function runtimeSecrets(ctx: Ctx, visit: Visit): Promise<void> {
  return inBatches(
    ctx,
    ({ em }, where, options) => em.find(TenantAgent, where, options),
    (agent) => {
      const sealed = agent.adapterConfig?.authValueSealed
      const authValueSealed = sealed === undefined ? undefined : visit(sealed, agent.tenantId)
      if (authValueSealed) agent.adapterConfig = { ...agent.adapterConfig, authValueSealed }
    },
  )
}

function channelTokens(ctx: Ctx, visit: Visit): Promise<void> {
  return inBatches(
    ctx,
    ({ em }, where, options) => em.find(ChannelConnection, where, options),
    (channel) => {
      const sealed = channel.tokensSealed
      if (sealed !== null) channel.tokensSealed = visit(sealed, channel.tenantId) ?? sealed
    },
  )
}

function connectAttempts(ctx: Ctx, visit: Visit): Promise<void> {
  return inBatches(
    ctx,
    ({ em }, where, options) => em.find(ConnectAttempt, where, options),
    (attempt) => {
      attempt.verifierSealed = visit(attempt.verifierSealed, attempt.tenantId) ?? attempt.verifierSealed
    },
  )
}

function providerKeys(ctx: Ctx, visit: Visit): Promise<void> {
  return inBatches(
    ctx,
    ({ em }, where, options) => em.find(LlmProvider, where, options),
    (provider) => {
      const sealed = provider.apiKeySealed
      if (sealed !== null) provider.apiKeySealed = visit(sealed, providerKeyContext(provider.id)) ?? sealed
    },
  )
}

async function answers(ctx: Ctx, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await encryptedAnswers(ctx.sql, after, batch)
    for (const { key, response } of rows) {
      const fresh = visit(response, key)
      if (fresh) await ctx.db.write((tx) => replaceEncryptedAnswer(tx, key, response, fresh))
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
